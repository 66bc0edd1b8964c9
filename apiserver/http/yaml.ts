import {
  type CreateNodeOptions,
  Document,
  LineCounter,
  type ParseOptions,
  type ScalarTag,
  type Tags,
  isAlias,
  isCollection,
  isPair,
  isScalar,
  parseAllDocuments,
  stringify,
} from 'yaml';
import { complaintOf } from './yaml-grammar.ts';
import { NOT_PLAIN, readPlainYaml } from './yaml-plain.ts';
import { repeatedKeysOf } from './yaml-repeats.ts';

/** Types that the real system's reader leaves as text, and that have no JSON form. */
const FOREIGN = new Set([
  'tag:yaml.org,2002:timestamp',
  'tag:yaml.org,2002:set',
  'tag:yaml.org,2002:omap',
  'tag:yaml.org,2002:pairs',
]);

/** A point alone is no number to Go's reader and writer; every field set has it for a key. */
const NUMBER_WITH_POINT = /^[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)$/;

const takesPoint = (tag: Tags[number]): tag is ScalarTag =>
  typeof tag !== 'string' && tag.test instanceof RegExp && tag.test.test('.');

const withGoNumbers = (tags: Tags): Tags =>
  tags.map((tag) => (takesPoint(tag) ? { ...tag, test: NUMBER_WITH_POINT } : tag));

const withoutForeign = (tags: Tags): Tags =>
  withGoNumbers(tags).filter(
    (tag) => typeof tag === 'string' || (!FOREIGN.has(tag.tag) && tag.format !== 'TIME'),
  );

/** A text that is no YAML; the message is that of Go's reader, which names the line, without the `yaml: ` before it. */
export class YamlSyntax extends Error {}

/** The first document of a text as JSON values, by YAML 1.1 as Go's reader has it. Throws `YamlSyntax`. */
export function parseYaml(text: string): unknown {
  const plain = readPlainYaml(text, meaningOf);
  return plain === NOT_PLAIN ? parseWholeYaml(text) : plain;
}

export interface ParsedYaml {
  readonly value: unknown;
  /** As `repeatedKeysOf`. */
  readonly repeatedKeys: readonly string[];
}

/** The same, with what a strict reader says of keys given more than once, the last of which counts. Throws `YamlSyntax`. */
export function parseYamlStrictly(text: string): ParsedYaml {
  const plain = readPlainYaml(text, meaningOf);
  if (plain !== NOT_PLAIN) return { value: plain, repeatedKeys: [] };
  const lineCounter = new LineCounter();
  const document = firstDocument(text, { keepSourceTokens: true, lineCounter });
  return {
    value: valueOf(document),
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
export const parseWholeYaml = (text: string): unknown => valueOf(firstDocument(text));

function firstDocument(text: string, options: ParseOptions = {}): Document.Parsed | undefined {
  const complaint = complaintOf(text);
  if (complaint !== undefined) throw new YamlSyntax(complaint);
  const documents = parseAllDocuments(text, {
    ...READING,
    ...options,
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const [first] = documents;
  if (first === undefined || !('toJS' in first)) return undefined;
  const [error] = first.errors;
  if (error !== undefined) throw new YamlSyntax(error.message.split('\n')[0] ?? 'syntax error');
  refuseCollectionsAsKeys(first.contents);
  return first;
}

function valueOf(document: Document.Parsed | undefined): unknown {
  if (document === undefined) return null;
  try {
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch (thrown) {
    if (!(thrown instanceof ReferenceError)) throw thrown;
    throw new YamlSyntax('document contains excessive aliasing', { cause: thrown });
  }
}

/**
 * JSON has texts for keys, and Go's reader refuses others. Nested in one another they would besides be written out as
 * texts anew at every level.
 */
function refuseCollectionsAsKeys(contents: unknown): void {
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
        if (isAlias(item.key)) aliases.push(item.key.source);
        open.push(item.value);
      }
    }
  }
  if (aliases.some((anchor) => anchors.has(anchor))) throw refused();
}

/** Line ends and unprintable characters to a YAML 1.1 reader, and ordinary ones to JSON and to the writer. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** JSON values as YAML with sorted keys, quoted so that a YAML 1.1 reader gets the same values back. */
export function toYaml(value: unknown): string {
  const text = written(value, 'PLAIN');
  // Escapes stand in double quotes alone: where one is needed, every text is quoted.
  if (!UNPRINTABLE.test(text)) return text;
  return written(value, 'QUOTE_DOUBLE').replace(new RegExp(UNPRINTABLE, 'g'), escaped);
}

function written(value: unknown, style: 'PLAIN' | 'QUOTE_DOUBLE'): string {
  const options: CreateNodeOptions & { sortMapEntries: boolean } = {
    aliasDuplicateObjects: false,
    sortMapEntries: true,
  };
  return stringify(value, {
    ...options,
    version: '1.1',
    customTags: withGoNumbers,
    defaultStringType: style,
    defaultKeyType: style,
    indentSeq: false,
    lineWidth: 0,
  });
}
