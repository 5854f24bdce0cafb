// Copies the address as it is when the button is pressed: charts write their zoom into it without a rerun.

export default function ({ data, parentElement }) {
  const place = placeIn(parentElement, "rlv-copy-place");
  const said = JSON.stringify(data.words);
  if (place.dataset.said === said) return;
  place.dataset.said = said;
  const made = copyButton("rlv-copy-link", "copy-link", () => window.location.href, data.words);
  place.replaceChildren(hinted(made, data.words.hint));
}
