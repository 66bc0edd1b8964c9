/** What a configuration file says, of which nothing is known yet. */
type Fields = Readonly<Record<string, unknown>>;

/** Throws one sentence that names `what`. */
export function recordOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error(`${what} must be an object`);
}

/** 0 where nothing is given. Throws one sentence that names `what`. */
export function wholeNumber(value: unknown, what: string): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new Error(`${what} must be a whole number`);
}

/** False where nothing is given. Throws one sentence that names `what`. */
export function flagOf(value: unknown, what: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw new Error(`${what} must be true or false`);
}

/** An object without fields that nobody reads. Throws one sentence that names `what`. */
export function closedRecordOf(value: unknown, what: string, fields: readonly string[]): Fields {
  const record = recordOf(value, what);
  const unknown = Object.keys(record).find((field) => !fields.includes(field));
  if (unknown === undefined) return record;
  throw new Error(`${what} has an unknown field ${JSON.stringify(unknown)}: expected ${fields.join(', ')}`);
}

/** Empty where nothing is given. Throws one sentence that names `what`. */
export function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new Error(`${what} must be a list`);
}

/** '' where nothing is given. Throws one sentence that names `what`. */
export function textOf(value: unknown, what: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new Error(`${what} must be a string`);
}

/** Throws one sentence unless the configuration is of a kind in one of these versions. */
export function checkConfigurationType(fields: Fields, kind: string, versions: readonly string[]): void {
  const { apiVersion, kind: given } = fields;
  if (given === kind && versions.includes(String(apiVersion))) return;
  throw new Error(
    `received ${JSON.stringify(given)} of ${JSON.stringify(apiVersion)}: expected ${kind} of ${versions.join(' or ')}`,
  );
}
