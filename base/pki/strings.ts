import { isAscii, isUtf8 } from 'node:buffer';
import { CodedError } from '../errors/coded.ts';
import { DerTag } from './der.ts';
import type { DerElement } from './der-reader.ts';

interface StringType {
  readonly name: string;
  readonly isValid: (content: Buffer) => boolean;
  readonly decode: (content: Buffer) => string;
}

const latin1 = (content: Buffer): string => content.toString('latin1');
const matches =
  (pattern: RegExp) =>
  (content: Buffer): boolean =>
    pattern.test(latin1(content));

/**
 * String types allowed in names of certificates (RFC 5280 section 4.1.2.4); the same types as in Go's
 * crypto/x509. Other types such as UniversalString are rejected, as OpenSSL prints them as text but Go does
 * not.
 */
const TYPES: ReadonlyMap<number, StringType> = new Map<number, StringType>([
  [DerTag.utf8String, { name: 'UTF8String', isValid: isUtf8, decode: (content) => content.toString('utf8') }],
  // The standard forbids `*` and `&`. Certificates contain them nevertheless, and Go and OpenSSL accept them.
  [
    DerTag.printableString,
    { name: 'PrintableString', isValid: matches(/^[A-Za-z\d '()+,./:=?*&-]*$/), decode: latin1 },
  ],
  [DerTag.ia5String, { name: 'IA5String', isValid: isAscii, decode: latin1 }],
  [0x12, { name: 'NumericString', isValid: matches(/^[\d ]*$/), decode: latin1 }],
  // T.61 in the standard, but Latin-1 in practice, in OpenSSL and in Node.js.
  [0x14, { name: 'TeletexString', isValid: () => true, decode: latin1 }],
  [
    0x1e,
    {
      name: 'BMPString',
      isValid: (content) => content.length % 2 === 0 && !SURROGATE.test(utf16(content)),
      decode: utf16,
    },
  ],
]);

function utf16(content: Buffer): string {
  return Buffer.from(content).swap16().toString('utf16le');
}

/**
 * Surrogate characters. A BMPString contains only characters of the Basic Multilingual Plane, so even a pair
 * of surrogates is malformed.
 */
const SURROGATE = /[\ud800-\udfff]/;
const CONTROL = /\p{Cc}/u;

const expected = [...TYPES.values()].map(({ name }) => name).join(', ');

/**
 * Returns the text of a string in a name. Throws `ERR_DER` for an unknown type, invalid bytes and control
 * characters.
 */
export function readText({ tag, content }: DerElement): string {
  const type = TYPES.get(tag);
  if (type === undefined)
    throw new CodedError(
      'ERR_DER',
      `string type 0x${tag.toString(16).padStart(2, '0')} is not supported, expected one of ${expected}`,
    );
  if (!type.isValid(content))
    throw new CodedError('ERR_DER', `bytes that are not valid in a string of type ${type.name}`);
  const text = type.decode(content);
  if (CONTROL.test(text)) throw new CodedError('ERR_DER', 'a string with a control character');
  return text;
}
