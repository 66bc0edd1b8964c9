import { isObject } from '../../../api/schema/index.ts';

const HEAD_BYTES = 30;
/** Prefix of a JSON body that contains nothing confidential: the opening brace, kind and apiVersion. */
const TYPE_FIELDS = /^\{(?:"(?:kind|apiVersion)":"[^"]*(?:"(?:,|$)?|$))*\}?/;
const MAGIC_BYTES = 4;

/**
 * Returns the beginning of a body for an error message: as JSON for a JSON object, as hexadecimal otherwise.
 * Upstream prints 30 bytes. This function stops before the first field that may contain a Secret or a token,
 * whatever kind was expected.
 */
export function bodySummary(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const isJson = bytes[0] === 0x7b;
  const head = Buffer.from(bytes.subarray(0, isJson ? HEAD_BYTES : MAGIC_BYTES));
  const shown = isJson ? (TYPE_FIELDS.exec(head.toString('utf8'))?.[0] ?? '') : head.toString('hex');
  const isWhole = (isJson ? Buffer.byteLength(shown) : head.length) >= bytes.length;
  return isWhole ? shown : `${shown} ...`;
}

/** Returns a body as JSON with only its type, name and namespace. Upstream prints the whole body. */
export function identitySummary({ apiVersion, kind, metadata }: Readonly<Record<string, unknown>>): string {
  const { name, namespace }: Readonly<Record<string, unknown>> = isObject(metadata) ? metadata : {};
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return JSON.stringify({
    apiVersion: text(apiVersion),
    kind: text(kind),
    ...(isObject(metadata) && { metadata: { name: text(name), namespace: text(namespace) } }),
  });
}
