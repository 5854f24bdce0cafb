// Copies the address as it is when the button is pressed: charts write their zoom into it without a rerun.

export default function ({ data, parentElement }) {
  if (parentElement.querySelector(".rlv-copy-link")) return;
  const { copy: label, hint } = data.words;
  const made = button("rlv-copy-link", "copy-link", () => copy(window.location.href).then(told), label);
  const told = () => {
    made.textContent = "Copied";
    setTimeout(() => { made.textContent = label; }, 2000);
  };
  parentElement.append(hinted(made, hint));
}
