// Puts words of the page's language in the place of Streamlit's own, as often as it writes them.
((words) => {
  const NAMES = ["placeholder", "title", "aria-label"];
  const OURS = ["pre", "code", "table", "iframe", "[data-testid=stMarkdown]", "[data-testid=stHtml]", "[data-testid=stBidiComponentRegular]"].join();
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
  const name = (element) =>
    NAMES.filter((each) => element.hasAttribute(each)).forEach((each) => put(element, each, element.getAttribute(each)));
  const translate = (node) => {
    const element = node instanceof Element ? node : node.parentElement;
    if (!element || element.closest(OURS)) return;
    if (node === element) name(element);
    else put(node, "", node.data);
    for (const child of node.childNodes) translate(child);
  };
  const observer = new MutationObserver((changes) =>
    changes.forEach(({ type, target, addedNodes }) => (type === "childList" ? addedNodes.forEach(translate) : translate(target))),
  );
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: NAMES });
})
