const texts = new WeakMap<object, string>();

/** Returns a value as JSON. Parts of worlds are immutable, so the JSON of each object is cached. */
export function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  let text = texts.get(value);
  if (text === undefined) texts.set(value, (text = JSON.stringify(value)));
  return text;
}

/**
 * Creates a function that assigns numbers to values. Equal values have equal numbers, which are faster to
 * look up than long strings. Arrays are compared by their items.
 */
export function createNumbers(): (value: unknown) => number {
  const byObject = new WeakMap<object, number>();
  const byText = new Map<string, number>();
  const ofText = (text: string): number => {
    let number = byText.get(text);
    if (number === undefined) byText.set(text, (number = byText.size));
    return number;
  };
  return function numberOf(value: unknown): number {
    if (Array.isArray(value)) return ofText(`[${value.map(numberOf).join()}]`);
    if (typeof value !== 'object' || value === null) return ofText(textOf(value));
    let number = byObject.get(value);
    if (number === undefined) byObject.set(value, (number = ofText(textOf(value))));
    return number;
  };
}
