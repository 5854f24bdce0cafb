// Sentences with {places} for values, which are filled once: what is filled in is never looked at again.

// The parts of a sentence in their order, with its values, or elements, at their places.
export const pieces = (sentence, values) =>
  sentence.split(/\{(\w+)\}/).map((part, index) => (index % 2 ? (values[part] ?? `{${part}}`) : part));

export const filled = (sentence, values) => pieces(sentence, values).join("");
