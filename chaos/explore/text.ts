const texts = new WeakMap<object, string>();

/** A value as JSON. Parts of worlds never change: the text of each object is made once. */
export function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  let text = texts.get(value);
  if (text === undefined) texts.set(value, (text = JSON.stringify(value)));
  return text;
}

/** The same number for the same value, with which a long text need not be looked up. Lists are known by what is in them. */
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
