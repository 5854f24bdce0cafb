// Hands Streamlit's place and data over to the charts' own scripts, which the browser loads once for all pages.

export default function ({ data, parentElement, setTriggerValue }) {
  const source = new URL(`${data.scripts}/charts.js`, document.baseURI); // below the page, so that a base path is kept
  import(source)
    .then(({ draw }) => draw(parentElement, data, setTriggerValue))
    .catch((error) => {
      const { not_loaded: lacks, not_drawn: fails } = data.words;
      parentElement.textContent = error.source ? filled(lacks, error) : filled(fails, { reason: error.message });
    });
}
