// Streamlit follows the browser's theme at once; our colours come from the server, which is asked once for them.

const asked = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const app = document.querySelector("[data-testid=stApp]");
  const match = () => {
    const isDark = getComputedStyle(app).colorScheme === "dark";
    if (isDark !== data.isDark && isDark !== asked.get(parentElement)) setTriggerValue("go", { isDark });
    asked.set(parentElement, isDark === data.isDark ? null : isDark);
  };
  match();
  const themes = new MutationObserver(match);
  themes.observe(app, { attributeFilter: ["class"] });
  return () => themes.disconnect();
}
