import { equalJson, getOwn, isObject, type JsonObject } from '../schema/own.ts';
import { type Piece, pieceOf, sortedOnce } from './pieces.ts';
import { plainPath, plainSchema } from './plain-swagger.ts';
import { encodeDefinition, encodePath } from './protobuf.ts';

/** The part of another server's Swagger document that describes one of its group versions. */
export interface ForeignSwagger {
  /** Identifier of the content, which changes whenever the content changes. */
  readonly etag: string;
  readonly paths: ReadonlyMap<string, unknown>;
  /** Definitions that the paths refer to. */
  readonly definitions: ReadonlyMap<string, unknown>;
}

/** Paths and definitions of a Swagger document. */
export interface SwaggerPieces {
  readonly paths: readonly Piece[];
  readonly definitions: readonly Piece[];
}

const DEFINITIONS = '#/definitions/';
const PARAMETERS = '#/parameters/';

/**
 * Returns the paths of a document that begin with `prefix`, and everything they refer to. Returns undefined
 * if there are no such paths. Also returns undefined if the document lacks a definition, because one server's
 * error would invalidate the merged document.
 */
export function foreignPart(document: unknown, prefix: string): Omit<ForeignSwagger, 'etag'> | undefined {
  if (!isObject(document)) return undefined;
  const definitions = entriesOf(document['definitions']);
  const parameters = entriesOf(document['parameters']);
  const kept = new Map(
    [...entriesOf(document['paths'])]
      .filter(([path]) => path.startsWith(prefix))
      // The merged document has no shared parameters, so they are inlined.
      .map(([path, item]) => [
        path,
        withReferences(item, (target) => parameters.get(nameIn(target, PARAMETERS) ?? '')),
      ]),
  );
  const reached = new Map<string, unknown>();
  const open = targetsOf([...kept.values()]);
  for (let target = open.pop(); target !== undefined; target = open.pop()) {
    const name = nameIn(target, DEFINITIONS);
    if (name === undefined || !definitions.has(name)) return undefined;
    if (reached.has(name)) continue;
    const definition = definitions.get(name);
    reached.set(name, definition);
    for (const each of targetsOf(definition)) open.push(each);
  }
  return kept.size === 0 ? undefined : { paths: kept, definitions: reached };
}

/**
 * Merges the documents of other servers into the document of this server. Paths of this server are retained.
 * A definition that differs from an existing definition of the same name is renamed to `name_v2`, `name_v3`
 * and so on, as upstream does. The comparison of definitions ignores `kindsExtension`.
 */
export function withForeign(
  own: SwaggerPieces,
  foreign: readonly ForeignSwagger[],
  kindsExtension: string,
): SwaggerPieces {
  if (foreign.length === 0) return own;
  const paths = [...own.paths];
  const definitions = [...own.definitions];
  // Definitions are compared before they are renamed, so that two versions of one server share equal
  // definitions.
  const said = new Map(own.definitions.map(({ name, value }) => [name, value]));
  const says = (name: string, value: unknown): boolean =>
    equalJson(without(said.get(name), kindsExtension), without(value, kindsExtension));
  for (const part of foreign) {
    // A generated name must differ from all names that the document defines.
    const isTaken = (name: string, value: unknown, given: string): boolean =>
      (said.has(name) && !says(name, value)) || (name !== given && part.definitions.has(name));
    const nameFor = (given: string, value: unknown): string => {
      let name = given;
      for (let at = 2; isTaken(name, value, given); at++) name = `${given}_v${at}`;
      return name;
    };
    const names = new Map([...part.definitions].map(([name, value]) => [name, nameFor(name, value)]));
    const renamed = (value: unknown): unknown =>
      withReferences(value, (target) => {
        const name = names.get(nameIn(target, DEFINITIONS) ?? '');
        return name === undefined ? undefined : { $ref: `${DEFINITIONS}${escaped(name)}` };
      });
    for (const [name, value] of part.definitions) {
      const free = names.get(name) ?? name;
      if (said.has(free)) continue;
      said.set(free, value);
      definitions.push(
        pieceOf(free, renamed(value), (as, given) => encodeDefinition(as, plainSchema(given))),
      );
    }
    for (const [path, item] of part.paths)
      paths.push(pieceOf(path, renamed(item), (as, given) => encodePath(as, plainPath(given))));
  }
  return { paths: sortedOnce(paths), definitions: sortedOnce(definitions) };
}

const entriesOf = (value: unknown): Map<string, unknown> =>
  new Map(isObject(value) ? Object.entries(value) : []);

function without(value: unknown, member: string): unknown {
  if (!isObject(value)) return value;
  const { [member]: _, ...rest } = value;
  return rest;
}

/** Returns the name in a reference with the given prefix (RFC 6901); undefined for all other references. */
function nameIn(target: string, prefix: string): string | undefined {
  if (!target.startsWith(prefix)) return undefined;
  return target.slice(prefix.length).replaceAll('~1', '/').replaceAll('~0', '~');
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const targetOf = (object: JsonObject): string | undefined => {
  const target = getOwn(object, '$ref');
  return typeof target === 'string' ? target : undefined;
};

/** Returns all references in a value. */
function targetsOf(value: unknown): string[] {
  const found: string[] = [];
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const target = isObject(next) ? targetOf(next) : undefined;
    if (target !== undefined) found.push(target);
    for (const each of Object.values(next)) open.push(each);
  }
  return found;
}

/**
 * Returns a copy of a value with replaced references. Recursion is safe, because the reader that produced the
 * value has bounded its depth.
 */
function withReferences(value: unknown, replace: (target: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => withReferences(each, replace));
  if (!isObject(value)) return value;
  const target = targetOf(value);
  const replaced = target === undefined ? undefined : replace(target);
  const entries = Object.entries(value).map(([key, each]) => [key, withReferences(each, replace)]);
  const copy: JsonObject = Object.fromEntries(entries);
  if (!isObject(replaced)) return copy;
  delete copy['$ref'];
  return { ...copy, ...replaced };
}
