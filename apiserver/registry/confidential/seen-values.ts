import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { isObject } from '../../../api/schema/index.ts';
import { ApiError } from '../../../api/status/index.ts';
import { REDACTED, type TextMask, createTextMask, unmasked } from './text-mask.ts';

export { REDACTED };

/** Fields of Secrets and TokenReviews that contain confidential values. */
const CONFIDENTIAL_PARTS = ['data', 'stringData', 'spec'] as const;

type Known = DeepReadonly<ApiObject> | object | undefined;

/**
 * Confidential values that one write has processed, to be masked in messages. The mask finds each value
 * unchanged, decoded from base64, and as a list of byte numbers: the forms that JSON, Go and shells print.
 * Values in a last-applied-configuration annotation are included.
 */
export class SeenValues {
  readonly #values = new Set<string>();
  #mask: TextMask | undefined;

  /** Adds the current values of the objects. The objects may be modified afterwards. */
  add(...objects: readonly Known[]): this {
    for (const object of objects) for (const value of valuesOf(object)) this.#values.add(value);
    this.#mask = undefined;
    return this;
  }

  readonly mask: TextMask = (text) =>
    (this.#mask ??= createTextMask([...this.#values].flatMap((value) => [...shownForms(value)])))(text);
}

/** Returns the mask for a write. The mask replaces nothing unless the kind is confidential. */
export const maskOfWrite = ({
  kind,
  object,
  previous,
}: {
  readonly kind: { readonly confidential?: boolean | undefined };
  readonly object: Known;
  readonly previous: Known;
}): TextMask => (kind.confidential === true ? new SeenValues().add(object, previous).mask : unmasked);

function* shownForms(value: string): Generator<string> {
  const bytes = Buffer.from(value, 'base64');
  yield value;
  yield bytes.toString('utf8');
  // The mask finds parts of a long value without the spellings below: they differ from the value in few
  // places, or are longer than any masked message.
  if (value.length > MAX_SPELLED) return;
  yield JSON.stringify(value).slice(1, -1);
  yield JSON.stringify(bytes.toString('utf8')).slice(1, -1);
  yield value.replace(/=+$/, '');
  yield bytes.toString('base64url');
  yield* numbersOf(bytes);
  yield* numbersOf(Buffer.from(value));
}

/** Maximum length, in characters, of a value that is searched for in every spelling. */
const MAX_SPELLED = 16_384;
/**
 * Minimum length, in bytes, of a value that is also searched for as byte numbers. Shorter number lists occur
 * in ordinary messages.
 */
const MIN_NUMBERED = 4;

function* numbersOf(bytes: Buffer): Generator<string> {
  if (bytes.length < MIN_NUMBERED) return;
  yield bytes.join(' ');
  yield bytes.join(',');
  yield bytes.toString('hex');
  yield bytes.toString('hex').toUpperCase();
}

/**
 * Yields every string and number in the confidential fields of an object, and in those of a configuration
 * that an annotation contains.
 */
function* valuesOf(object: Known): Generator<string> {
  if (!isObject(object)) return;
  const fields = object as Readonly<Record<string, unknown>>;
  for (const part of CONFIDENTIAL_PARTS) yield* textsBelow(fields[part]);
  const { metadata } = fields;
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined;
  if (!isObject(annotations)) return;
  for (const text of Object.values(annotations)) {
    const applied = typeof text === 'string' && text.startsWith('{') ? parsed(text) : undefined;
    if (isObject(applied)) for (const part of CONFIDENTIAL_PARTS) yield* textsBelow(applied[part]);
  }
}

function* textsBelow(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'number' || typeof value === 'bigint') yield String(value);
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) yield* textsBelow(each);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns an error response with its messages masked, and other errors unchanged. An error response is sent
 * to the client, logged by controllers, and written to the audit log at every level.
 */
export function maskedError(mask: TextMask, thrown: unknown): unknown {
  if (mask === unmasked || !(thrown instanceof ApiError)) return thrown;
  const { message, reason, details } = thrown.status;
  // The cause is dropped: its message may contain the values.
  return new ApiError({
    ...thrown.status,
    ...(message !== undefined && { message: mask(message) }),
    ...(reason !== undefined && { reason: mask(reason) as typeof reason }),
    ...(details !== undefined && { details: maskedBelow(mask, details) as typeof details }),
  });
}

function maskedBelow(mask: TextMask, value: unknown): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((each) => maskedBelow(mask, each));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, maskedBelow(mask, each)]));
}

/** Removes the Go value from an error message about a malformed configuration. */
export const withoutShownValues = (message: string): string =>
  message.replace(/, got &[^]*/, `, got ${REDACTED}`);
