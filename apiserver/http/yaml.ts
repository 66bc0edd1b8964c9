import { type CreateNodeOptions, type ScalarTag, type Tags, parseAllDocuments, stringify } from 'yaml';

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

/** A text that is no YAML. */
export class YamlSyntax extends Error {}

/** The first document of a text as JSON values, by YAML 1.1 as Go's reader has it. Throws `YamlSyntax`. */
export function parseYaml(text: string): unknown {
  const documents = parseAllDocuments(text, {
    version: '1.1',
    customTags: withoutForeign,
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const [first] = documents;
  if (first === undefined || !('toJS' in first)) return null;
  const [error] = first.errors;
  if (error !== undefined) throw new YamlSyntax(error.message.split('\n')[0] ?? 'syntax error');
  return first.toJS({ maxAliasCount: 100 }) as unknown;
}

/** JSON values as YAML with sorted keys, quoted so that a YAML 1.1 reader gets the same values back. */
export function toYaml(value: unknown): string {
  const options: CreateNodeOptions & { sortMapEntries: boolean } = {
    aliasDuplicateObjects: false,
    sortMapEntries: true,
  };
  return stringify(value, {
    ...options,
    version: '1.1',
    customTags: withGoNumbers,
    indentSeq: false,
    lineWidth: 0,
  });
}
