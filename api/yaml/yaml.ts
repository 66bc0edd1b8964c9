import {
  Composer,
  Document,
  type DocumentOptions,
  LineCounter,
  type ParseOptions,
  Parser,
  type ScalarTag,
  type SchemaOptions,
  type Tags,
  isAlias,
  isCollection,
  isPair,
  isScalar,
} from 'yaml';
import { spend } from '../../base/budget/index.ts';
import { complaintOf } from './grammar.ts';
import { MERGE, mergingInOrder } from './merge.ts';
import { LIKE_A_NUMBER, numberOf } from './numbers.ts';
import { NOT_PLAIN, readPlainYaml } from './plain.ts';
import { YamlWriter } from './writer.ts';
import { repeatedKeysOf } from './repeats.ts';
import { withPlainBreaks } from './text.ts';

/** YAML types that Go's parser reads as strings because they have no JSON form. */
const FOREIGN = new Set([
  'tag:yaml.org,2002:timestamp',
  'tag:yaml.org,2002:set',
  'tag:yaml.org,2002:omap',
  'tag:yaml.org,2002:pairs',
]);

const NUMBERS = new Set(['tag:yaml.org,2002:int', 'tag:yaml.org,2002:float']);

const isNumber = (tag: Tags[number]): tag is ScalarTag =>
  typeof tag !== 'string' && NUMBERS.has(tag.tag) && tag.format !== 'TIME';

const withGoNumbers = (tags: Tags): Tags =>
  tags.map((tag) => (isNumber(tag) ? { ...tag, test: LIKE_A_NUMBER, resolve: numberOf } : tag));

/** Decodes a `!!binary` scalar. The value is a string, as in Go. */
function bytesOf(text: string): string {
  const base64 = text.replace(/\s/g, '');
  if (!/^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(base64))
    throw new YamlSyntax('!!binary value contains invalid base64 data');
  return Buffer.from(base64, 'base64').toString();
}

/** Tag that makes the writer quote the string `<<`, which would otherwise be a merge key. */
const quotedMergeKey: ScalarTag = {
  tag: MERGE,
  default: true,
  test: /^<<$/,
  identify: () => false,
  resolve: (text) => text,
};

const forWriting = (tags: Tags): Tags => [
  ...withGoNumbers(tags).filter((tag) => typeof tag === 'string' || tag.tag !== MERGE),
  quotedMergeKey,
];

const withoutForeign = (tags: Tags): Tags =>
  withGoNumbers(mergingInOrder(tags))
    .filter((tag) => typeof tag === 'string' || (!FOREIGN.has(tag.tag) && tag.format !== 'TIME'))
    .map((tag) => (isBinary(tag) ? { ...tag, resolve: bytesOf } : tag));

const isBinary = (tag: Tags[number]): tag is ScalarTag =>
  typeof tag !== 'string' && tag.tag === 'tag:yaml.org,2002:binary';

/** Error for invalid YAML. The message is that of Go's parser, with the line, without the prefix `yaml: `. */
export class YamlSyntax extends Error {}

/**
 * Parses the first document of a text into JSON values, as Go's YAML 1.1 parser does. Throws `YamlSyntax`.
 */
export function parseYaml(source: string): unknown {
  const text = withPlainBreaks(source);
  const plain = readPlainYaml(text, meaningOf);
  return plain === NOT_PLAIN ? parseWholeYaml(text) : finite(plain, text);
}

/** A parsed document with its repeated keys. */
export interface ParsedYaml {
  readonly value: unknown;
  /** Errors of repeated keys, see `repeatedKeysOf`. */
  readonly repeatedKeys: readonly string[];
}

/**
 * Parses like `parseYaml` and also reports repeated keys. The last value of a repeated key wins. Throws
 * `YamlSyntax`.
 */
export function parseYamlStrictly(source: string): ParsedYaml {
  const text = withPlainBreaks(source);
  const plain = readPlainYaml(text, meaningOf);
  if (plain !== NOT_PLAIN) return { value: finite(plain, text), repeatedKeys: [] };
  const lineCounter = new LineCounter();
  const document = firstDocument(text, { keepSourceTokens: true, lineCounter });
  return {
    value: finite(valueOf(document), text),
    repeatedKeys: document === undefined ? [] : repeatedKeysOf(document.contents, lineCounter),
  };
}

const READING = { version: '1.1', customTags: withoutForeign } as const;
const { schema } = new Document(null, READING);
/** Matches the words that are not strings. All other scalars that start with a letter are strings. */
const WORD = /^(?:[yn]|yes|no|on|off|true|false|null|nan|inf)$/i;
const LETTER = /^[A-Za-z_/]/;

/** Returns the value of a plain scalar by the tags of YAML 1.1, as Go reads them. */
export function meaningOf(text: string): unknown {
  if (LETTER.test(text) && !(text.length < 6 && WORD.test(text))) return text;
  const tag = schema.tags.find((each) => each.default === true && takes(each, text));
  if (tag?.resolve === undefined) return text;
  const value = (tag as ScalarTag).resolve(text, () => {}, {});
  return isScalar(value) ? value.value : value;
}

const takes = (tag: object, text: string): boolean =>
  'test' in tag && tag.test instanceof RegExp && tag.test.test(text);

/** Parses with the complete grammar, which takes about one second per megabyte. */
export const parseWholeYaml = (text: string): unknown => finite(valueOf(firstDocument(text)), text);

// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ufffd]/;

/** Measured work units for a character that is parsed with the complete grammar. */
const CHARACTER = 0.1;

function firstDocument(text: string, options: ParseOptions = {}): Document.Parsed | undefined {
  spend(text.length * CHARACTER);
  const complaint = FORBIDDEN.test(text) ? 'control characters are not allowed' : complaintOf(text);
  if (complaint !== undefined) throw new YamlSyntax(complaint);
  const first = composed(text, {
    ...READING,
    ...options,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  if (first === undefined) return undefined;
  const [error] = first.errors;
  if (error !== undefined) throw new YamlSyntax(error.message);
  refuseOddKeys(first.contents);
  if (text.includes('*')) refuseCycles(first.contents, new Map(), new Set());
  return first;
}

/** Composes only the first document, because the nesting depth of later documents has not been checked. */
function composed(
  text: string,
  options: ParseOptions & DocumentOptions & SchemaOptions,
): Document.Parsed | undefined {
  const composer = new Composer(options);
  for (const token of new Parser(options.lineCounter?.addNewLine).parse(text)) {
    for (const document of composer.next(token)) return document;
    if (token.type === 'document') break;
  }
  const [document] = composer.end();
  return document;
}

/** Throws for infinite numbers and NaN, which JSON lacks. */
function finite(value: unknown, text: string): unknown {
  if (/\.(?:inf|nan)/i.test(text)) refuseInfinite(value);
  return value;
}

function refuseInfinite(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new YamlSyntax(`json: unsupported value: ${String(value).replace(/^(-?)Infinity/, sign)}`);
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(refuseInfinite);
}

const sign = (_infinity: string, minus: string): string => `${minus === '' ? '+' : minus}Inf`;

function valueOf(document: Document.Parsed | undefined): unknown {
  if (document === undefined) return null;
  try {
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch (thrown) {
    if (thrown instanceof ReferenceError)
      throw new YamlSyntax('document contains excessive aliasing', { cause: thrown });
    // The library throws a plain `Error` for an invalid merge source.
    if (!(thrown instanceof Error) || !thrown.message.startsWith('Merge sources')) throw thrown;
    throw new YamlSyntax('map merge requires map or sequence of maps as the value', { cause: thrown });
  }
}

/**
 * Throws for keys that are collections or null. JSON has no such keys, and Go rejects them. Collections as
 * keys would also be serialized again at each level of nesting.
 */
function refuseOddKeys(contents: unknown): void {
  const open = [contents];
  const anchors = new Set<string>();
  const aliases: string[] = [];
  const refused = (): YamlSyntax => new YamlSyntax('invalid map key: a map or a list');
  while (open.length > 0) {
    const node = open.pop();
    if (!isCollection(node)) continue;
    if (node.anchor !== undefined) anchors.add(node.anchor);
    for (const item of node.items) {
      if (!isPair(item)) open.push(item);
      else {
        if (isCollection(item.key)) throw refused();
        if (item.key === null || (isScalar(item.key) && item.key.value === null))
          throw new YamlSyntax('Unsupported map key of type: %!s(<nil>), key: <nil>');
        if (isAlias(item.key)) aliases.push(item.key.source);
        open.push(item.value);
      }
    }
  }
  if (aliases.some((anchor) => anchors.has(anchor))) throw refused();
}

/**
 * Throws for an alias within its own anchor. `named` holds the latest node of each anchor, `around` the
 * enclosing nodes.
 */
function refuseCycles(node: unknown, named: Map<string, object>, around: Set<object>): void {
  if (isAlias(node)) {
    const target = named.get(node.source);
    if (target !== undefined && around.has(target))
      throw new YamlSyntax(`anchor '${node.source}' value contains itself`);
  }
  if (!isCollection(node)) return;
  if (node.anchor !== undefined) named.set(node.anchor, node);
  around.add(node);
  for (const item of node.items) {
    for (const part of isPair(item) ? [item.key, item.value] : [item]) refuseCycles(part, named, around);
  }
  around.delete(node);
}

const written = new Document(null, { version: '1.1', merge: false, customTags: forWriting }).schema.tags;

/** True if a YAML 1.1 parser would not read an unquoted string as the same string. */
const isOther = (text: string): boolean => written.some((tag) => tag.default === true && takes(tag, text));

/** Returns a JSON value as YAML with sorted keys, quoted so that a YAML 1.1 parser reads the same value. */
export const toYaml = (value: unknown): string => new YamlWriter(isOther).write(value);

/** Returns a JSON value as YAML, like `toYaml`. Lets other requests run between slices of a large value. */
export const toYamlInSlices = (value: unknown): Promise<string> =>
  new YamlWriter(isOther).writeInSlices(value);
