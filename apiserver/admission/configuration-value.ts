/** Fields of an object in a configuration file, before validation. */
type Fields = Readonly<Record<string, unknown>>;

/** Returns a value as an object. Throws an error that contains `what` if the value is not an object. */
export function recordOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error(`${what} must be an object`);
}

/**
 * Returns a value as a whole number, or 0 if it is absent. Throws an error that contains `what` for any other
 * value.
 */
export function wholeNumber(value: unknown, what: string): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new Error(`${what} must be a whole number`);
}

/**
 * Returns a value as a boolean, or false if it is absent. Throws an error that contains `what` for any other
 * value.
 */
export function flagOf(value: unknown, what: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw new Error(`${what} must be true or false`);
}

/**
 * Returns a value as an object. Throws an error that contains `what` if the value is not an object or has a
 * field that is not in `fields`.
 */
export function closedRecordOf(value: unknown, what: string, fields: readonly string[]): Fields {
  const record = recordOf(value, what);
  const unknown = Object.keys(record).find((field) => !fields.includes(field));
  if (unknown === undefined) return record;
  throw new Error(`${what} has an unknown field ${JSON.stringify(unknown)}: expected ${fields.join(', ')}`);
}

/**
 * Returns a value as a list, or an empty list if it is absent. Throws an error that contains `what` for any
 * other value.
 */
export function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new Error(`${what} must be a list`);
}

/**
 * Returns a value as a string, or '' if it is absent. Throws an error that contains `what` for any other
 * value.
 */
export function textOf(value: unknown, what: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new Error(`${what} must be a string`);
}

/** Throws an error unless the configuration has the given kind and one of the given versions. */
export function checkConfigurationType(fields: Fields, kind: string, versions: readonly string[]): void {
  const { apiVersion, kind: given } = fields;
  if (given === kind && versions.includes(String(apiVersion))) return;
  throw new Error(
    `received ${JSON.stringify(given)} of ${JSON.stringify(apiVersion)}: expected ${kind} of ${versions.join(' or ')}`,
  );
}
