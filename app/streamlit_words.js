// Puts words of the page's language in the place of Streamlit's own, as often as it writes them.
((words) => {
  const NAMES = ["placeholder", "title", "aria-label"];
  // What we, a log or a reader said is left alone: an option of a list that is no act of its own, a chosen one, a file.
  const OTHERS = [
    ...["pre", "code", "table", "iframe"],
    ...["stMarkdown", "stHtml", "stBidiComponentRegular", "stFileChipName"].map((id) => `[data-testid=${id}]`),
    ...["[role=option][data-key]:not([data-key^=__])", "[data-tag] > span"],
  ].join();
  const LABELLED = ["input", "textarea", "[role=listbox]", "[data-tag]"].join(); // as the page said
  const PLACE = /\\?\{(\w+)\\?\}/g;
  const escaped = (text) => text.replace(/[.*+?^$()|[\]\\/{}]/g, "\\$&");
  const patterns = Object.entries(words)
    .filter(([english]) => english.includes("{"))
    .map(([english, said]) => [new RegExp(`^${escaped(english).replace(PLACE, "(?<$1>.+)")}$`), said]);
  const inWords = (text) => {
    if (Object.hasOwn(words, text)) return words[text];
    for (const [pattern, said] of patterns) {
      const found = pattern.exec(text);
      if (found) return said.replace(PLACE, (_place, name) => found.groups[name]);
    }
    return text;
  };
  const put = (node, name, text) => {
    const said = inWords(text);
    if (said !== text) name ? node.setAttribute(name, said) : (node.data = said);
  };
  const namesOf = (element) => (element.matches(LABELLED) ? ["placeholder"] : NAMES);
  const name = (element) =>
    namesOf(element)
      .filter((each) => element.hasAttribute(each))
      .forEach((each) => put(element, each, element.getAttribute(each)));
  const translate = (node) => {
    const element = node instanceof Element ? node : node.parentElement;
    if (!element || element.closest(OTHERS)) return;
    if (node === element) name(element);
    else put(node, "", node.data);
    for (const child of node.childNodes) translate(child);
  };
  const observer = new MutationObserver((changes) =>
    changes.forEach(({ type, target, addedNodes }) => (type === "childList" ? addedNodes.forEach(translate) : translate(target))),
  );
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: NAMES });
})
