// Elements whose words are text nodes: nothing that a log says is read as HTML.

// Where a key types a letter.
const EDITABLE = "input:not([type=checkbox]), textarea, select, [contenteditable=true]";

const element = (tag, className, ...children) => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
};

const hinted = (made, words) => {
  if (words) made.title = words;
  return made;
};

// `key` tells a button from all others of its place, so that it keeps the focus when the place is drawn again.
const button = (className, key, act, ...children) => {
  const made = element("button", className, ...children);
  made.type = "button";
  made.dataset.key = key;
  made.addEventListener("click", act);
  return made;
};

const placeIn = (parent, className) => {
  const found = parent.querySelector(`:scope .${className}`);
  if (found) return found;
  const place = element("div", className);
  parent.append(place);
  return place;
};

// What is drawn anew between the pressing and the letting go of the pointer loses the click: data wait until then.
const pointer = { isDown: false, late: new Map() };
const letGo = () => {
  const late = [...pointer.late.values()];
  pointer.isDown = false;
  pointer.late.clear();
  late.forEach((draw) => draw());
};
window.addEventListener("pointerdown", () => { pointer.isDown = true; }, true);
for (const end of ["pointerup", "pointercancel", "blur"]) window.addEventListener(end, () => setTimeout(letGo), true); // after the click

const whenReleased = (place, draw) => {
  if (pointer.isDown) pointer.late.set(place, draw);
  else draw();
};

// Keeps the focus, also in a field that `build` puts into its new place.
const redraw = (place, build) => {
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  place.replaceChildren(...build().filter(Boolean));
  if (focused) place.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
};

const copy = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = element("textarea", "", text); // a page that came over plain HTTP from elsewhere has no clipboard
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
};

// `words` are those of the button before and just after it was pressed; `text` is asked for when it is.
const copyButton = (className, key, text, words) => {
  const made = button(className, key, () => copy(text()).then(told), words.copy);
  const told = () => {
    made.textContent = words.copied;
    setTimeout(() => { made.textContent = words.copy; }, 2000);
  };
  return made;
};
