import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { ObjectMeta } from '../../api/types/meta-v1.ts';

/** Metadata that a head contains: names and labels. */
export type Head = DeepReadonly<Pick<ObjectMeta, 'name' | 'namespace' | 'labels'>>;

/** Number of bytes in which the head is searched for. The labels of most objects end long before. */
const SEARCHED_BYTES = 1024;
const TEXT = String.raw`"[ !#-\[\]-~]*"`;
/**
 * Pattern of stored metadata in declared order: strings and numbers, labels, then nested or long members. The
 * strings are ASCII without escapes. `"metadata":{` cannot occur inside a JSON string, where its quotes would
 * be escaped.
 */
const HEAD = new RegExp(
  String.raw`"metadata":\{((?:"(?!labels")\w+":(?:${TEXT}|[\w.+-]+),?)*(?:"labels":\{(?:${TEXT}:${TEXT},?)*\},?)?)` +
    String.raw`(?:\}|"(?:annotations|ownerReferences|finalizers|clusterName|managedFields)":)`,
);

/**
 * Reads the beginning of a stored object without parsing the rest of it. Returns undefined if the metadata
 * does not match the pattern, so that the caller must parse the object.
 */
export function readHead(value: Buffer): Head | undefined {
  const members = HEAD.exec(value.toString('latin1', 0, SEARCHED_BYTES))?.[1];
  if (members === undefined) return undefined;
  return JSON.parse(`{${members.endsWith(',') ? members.slice(0, -1) : members}}`) as Head;
}
