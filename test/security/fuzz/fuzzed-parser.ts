import { parseJson } from '../../../api/schema/json.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';

/** Parser of untrusted bytes, which are passed as a Latin-1 string with one character for each byte. */
export interface FuzzedParser {
  readonly name: string;
  /** Valid inputs that are mutated. */
  readonly seeds: readonly string[];
  /** Tokens that have a meaning for the parser. */
  readonly pieces: readonly string[];
  /** Parses an input. May throw only its documented errors. */
  run(text: string): unknown;
}

/** Vocabulary of all parsers. */
export const vocabulary = kubernetesVocabulary;

/** Returns the bytes of a Latin-1 string. */
export const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Returns bytes as a Latin-1 string. */
export const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Parses JSON. */
export const loose = (text: string): unknown => parseJson(bytesOf(text)).value;

/** Encodes a value as JSON in base64url. */
export const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Valid pod. */
export const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n', labels: { a: 'b' }, annotations: { c: 'd' } },
  spec: {
    containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: '1' }] }],
    tolerations: [{ key: 'k', operator: 'Exists' }],
  },
};

/** The pod as JSON. */
export const podJson = JSON.stringify(pod);

/** Tokens with a meaning in JSON. */
export const jsonPieces = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  'null',
  '1e999',
  '-0',
  '\\ud800',
  '"__proto__":',
  '0.1',
  '\\',
];

/** Tokens with a meaning in YAML. */
export const yamlPieces = [
  '&a',
  '*a',
  '!!binary',
  '- ',
  '? ',
  ': ',
  '|',
  '>',
  '\n',
  '  ',
  '{',
  '[',
  '<<: *a',
  '---',
  '%',
  "'",
  '"',
  '\t',
  '#',
];
