// How many charts stand side by side: as many as the window has room for, or what was chosen and the browser remembers.

const STORED = "rlvitals.columns";
const PROPERTY = "--rlvitals-columns"; // of the document, for the style sheet of the charts

export const COLUMNS = ["auto", "1", "2", "3", "4", "5"];

const remembered = () => {
  try {
    const found = localStorage.getItem(STORED);
    return COLUMNS.includes(found) ? found : "auto";
  } catch {
    return "auto"; // a browser that keeps nothing
  }
};

const apply = (columns) => {
  const { style } = document.documentElement;
  if (columns === "auto") style.removeProperty(PROPERTY);
  else style.setProperty(PROPERTY, columns);
};

export const chosenColumns = remembered;

export const chooseColumns = (columns) => {
  try {
    localStorage.setItem(STORED, columns);
  } catch {
    // it holds until the page is left
  }
  apply(columns);
};

apply(remembered());
