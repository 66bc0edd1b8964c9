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
import { complaintOf } from './yaml-grammar.ts';
import { MERGE, mergingInOrder } from './yaml-merge.ts';
import { LIKE_A_NUMBER, numberOf } from './yaml-numbers.ts';
import { NOT_PLAIN, readPlainYaml } from './yaml-plain.ts';
import { YamlWriter } from './yaml-writer.ts';
import { repeatedKeysOf } from './yaml-repeats.ts';
import { withPlainBreaks } from './yaml-text.ts';

/** Types that the real system's reader leaves as text, and that have no JSON form. */
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

/** Go has bytes for texts. */
function bytesOf(text: string): string {
  const base64 = text.replace(/\s/g, '');
  if (!/^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(base64))
    throw new YamlSyntax('!!binary value contains invalid base64 data');
  return Buffer.from(base64, 'base64').toString();
}

/** A text that has to be quoted, or it stands for merging. */
const likeMerging: ScalarTag = {
  tag: MERGE,
  default: true,
  test: /^<<$/,
  identify: () => false,
  resolve: (text) => text,
};

const forWriting = (tags: Tags): Tags => [
  ...withGoNumbers(tags).filter((tag) => typeof tag === 'string' || tag.tag !== MERGE),
  likeMerging,
];

const withoutForeign = (tags: Tags): Tags =>
  withGoNumbers(mergingInOrder(tags))
    .filter((tag) => typeof tag === 'string' || (!FOREIGN.has(tag.tag) && tag.format !== 'TIME'))
    .map((tag) => (isBinary(tag) ? { ...tag, resolve: bytesOf } : tag));

const isBinary = (tag: Tags[number]): tag is ScalarTag =>
  typeof tag !== 'string' && tag.tag === 'tag:yaml.org,2002:binary';

/** A text that is no YAML; the message is that of Go's reader, which names the line, without the `yaml: ` before it. */
export class YamlSyntax extends Error {}

/** The first document of a text as JSON values, by YAML 1.1 as Go's reader has it. Throws `YamlSyntax`. */
export function parseYaml(source: string): unknown {
  const text = withPlainBreaks(source);
  const plain = readPlainYaml(text, meaningOf);
  return plain === NOT_PLAIN ? parseWholeYaml(text) : finite(plain, text);
}

export interface ParsedYaml {
  readonly value: unknown;
  /** As `repeatedKeysOf`. */
  readonly repeatedKeys: readonly string[];
}

/** The same, with what a strict reader says of keys given more than once, the last of which counts. Throws `YamlSyntax`. */
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
/** The rest of the scalars that begin with a letter are texts. */
const WORD = /^(?:[yn]|yes|no|on|off|true|false|null|nan|inf)$/i;
const LETTER = /^[A-Za-z_/]/;

export function meaningOf(text: string): unknown {
  if (LETTER.test(text) && !(text.length < 6 && WORD.test(text))) return text;
  const tag = schema.tags.find((each) => each.default === true && takes(each, text));
  if (tag?.resolve === undefined) return text;
  const value = (tag as ScalarTag).resolve(text, () => {}, {});
  return isScalar(value) ? value.value : value;
}

const takes = (tag: object, text: string): boolean =>
  'test' in tag && tag.test instanceof RegExp && tag.test.test(text);

/** By the whole grammar: about a second for a megabyte. */
export const parseWholeYaml = (text: string): unknown => finite(valueOf(firstDocument(text)), text);

// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ufffd]/;

/** Units of work that a character costs the reader of the whole grammar, as measured. */
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

/** Looks at nothing behind the first document: its depth is not known. */
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

/** JSON has no infinite numbers, and YAML does. */
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
    // What is thrown for merging with something else than mappings has no type of its own.
    if (!(thrown instanceof Error) || !thrown.message.startsWith('Merge sources')) throw thrown;
    throw new YamlSyntax('map merge requires map or sequence of maps as the value', { cause: thrown });
  }
}

/**
 * JSON has texts for keys: Go's reader refuses collections, which nested in one another would besides be written out as
 * texts anew at every level, and null.
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

/** Throws for an alias within what it stands for. `named` holds the latest node of each anchor; `around` those being read. */
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

/** True if a text without quotes is another value to a reader of YAML 1.1. */
const isOther = (text: string): boolean => written.some((tag) => tag.default === true && takes(tag, text));

/** JSON values as YAML with sorted keys, quoted so that a YAML 1.1 reader gets the same values back. */
export const toYaml = (value: unknown): string => new YamlWriter(isOther).write(value);

/** The same for a value of any size: lets other requests run in between. */
export const toYamlInSlices = (value: unknown): Promise<string> =>
  new YamlWriter(isOther).writeInSlices(value);
