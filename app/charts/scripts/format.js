// Numbers as people read them; the same forms as the dashboard's other pages use.

export const number = (value, digits = 3) => {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return `${Number(mantissa)}e${Number(exponent)}`.replaceAll("-", "−");
  }
  return String(Number(value.toPrecision(size < 1000 ? digits : Math.max(digits, 6)))).replace("-", "−");
};

// As it was logged, as far as six digits tell it.
export const raw = (value) => number(value, 6);

export const duration = (seconds) => {
  if (seconds < 120) return `${number(seconds)} s`;
  return seconds < 7200 ? `${number(seconds / 60)} min` : `${number(seconds / 3600)} h`;
};

export const clock = (seconds) => new Date(1000 * seconds).toLocaleString([], { dateStyle: "short", timeStyle: "medium" });
