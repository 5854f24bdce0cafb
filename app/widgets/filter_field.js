// The filter field: what is typed is sent once typing pauses, and stays while the page around it is drawn anew.

const PAUSE = 250; // milliseconds

const built = (parent) => {
  const input = element("input", "rlv-filter-input");
  Object.assign(input, { type: "search", spellcheck: false, autocomplete: "off" });
  input.setAttribute("aria-keyshortcuts", "/");
  parent.append(element("label", "rlv-filter", input, element("span", "rlv-filter-hint")));
  return input;
};

const say = (parent, input, words) => {
  input.placeholder = words.example;
  input.setAttribute("aria-label", words.label);
  parent.querySelector(".rlv-filter-hint").replaceChildren(words.fields, " ", element("kbd", "rlv-key", "/"));
};

const listen = (input) => {
  let pause;
  const send = () => {
    clearTimeout(pause);
    if (input.value !== input.sent) input.send("text", (input.sent = input.value));
  };
  input.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(send, PAUSE);
  });
  input.addEventListener("change", send);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") send();
    if (event.key === "Escape" && !input.value) input.blur();
  });
};

export default function ({ data, parentElement, setTriggerValue }) {
  let input = parentElement.querySelector(".rlv-filter-input");
  if (!input) {
    input = built(parentElement);
    input.value = input.sent = input.seen = data.text;
    listen(input);
  }
  input.send = setTriggerValue;
  say(parentElement, input, data.words);
  if (data.text === input.seen) return; // an answer to what was asked before the last letter was typed
  input.seen = data.text;
  if (data.text !== input.sent) input.value = input.sent = data.text; // changed by a chip, or by going back
}
