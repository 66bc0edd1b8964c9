import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { ObjectMeta } from '../../api/types/meta-v1.ts';

/** Metadata as far as the labels. */
export type Head = DeepReadonly<Pick<ObjectMeta, 'name' | 'namespace' | 'labels'>>;

/** Bytes at the beginning of an object that are looked at; the labels of most end long before. */
const LOOKED_AT = 1024;
const TEXT = String.raw`"[ !#-\[\]-~]*"`;
/**
 * Metadata as it is stored, members in declared order: texts and numbers, labels, then what nests or is long. No text
 * here has an escape or is not ASCII; `"metadata":{` stands in none, where its quotes would be escaped.
 */
const HEAD = new RegExp(
  String.raw`"metadata":\{((?:"(?!labels")\w+":(?:${TEXT}|[\w.+-]+),?)*(?:"labels":\{(?:${TEXT}:${TEXT},?)*\},?)?)` +
    String.raw`(?:\}|"(?:annotations|ownerReferences|finalizers|clusterName|managedFields)":)`,
);

/** Reads the beginning of a stored object, and not the rest. Undefined where it is not so simple: that must be parsed. */
export function readHead(value: Buffer): Head | undefined {
  const members = HEAD.exec(value.toString('latin1', 0, LOOKED_AT))?.[1];
  if (members === undefined) return undefined;
  return JSON.parse(`{${members.endsWith(',') ? members.slice(0, -1) : members}}`) as Head;
}
