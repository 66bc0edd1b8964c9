/** Object of a configuration file, before validation. */
type Fields = Readonly<Record<string, unknown>>;

/** Returns a value as an object. Throws an `Error` that contains `what`. */
export function recordOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error(`${what} must be an object`);
}

/** Returns a whole number, 0 if absent. Throws an `Error` that contains `what`. */
export function wholeNumber(value: unknown, what: string): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new Error(`${what} must be a whole number`);
}

/** Returns a boolean, false if absent. Throws an `Error` that contains `what`. */
export function flagOf(value: unknown, what: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw new Error(`${what} must be true or false`);
}

/** Returns a value as an object with known fields only. Throws an `Error` that contains `what`. */
export function closedRecordOf(value: unknown, what: string, fields: readonly string[]): Fields {
  const record = recordOf(value, what);
  const unknown = Object.keys(record).find((field) => !fields.includes(field));
  if (unknown === undefined) return record;
  throw new Error(`${what} has an unknown field ${JSON.stringify(unknown)}: expected ${fields.join(', ')}`);
}

/** Returns a list, empty if absent. Throws an `Error` that contains `what`. */
export function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new Error(`${what} must be a list`);
}

/** Returns a string, '' if absent. Throws an `Error` that contains `what`. */
export function textOf(value: unknown, what: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new Error(`${what} must be a string`);
}

/** Throws an `Error` unless the configuration has this kind in one of these versions. */
export function checkConfigurationType(fields: Fields, kind: string, versions: readonly string[]): void {
  const { apiVersion, kind: given } = fields;
  if (given === kind && versions.includes(String(apiVersion))) return;
  throw new Error(
    `received ${JSON.stringify(given)} of ${JSON.stringify(apiVersion)}: expected ${kind} of ${versions.join(' or ')}`,
  );
}
