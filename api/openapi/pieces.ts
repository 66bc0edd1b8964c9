import type { OpenApiSchema } from './dialect.ts';
import type { SwaggerPath } from './protobuf.ts';
import { writeJson } from '../schema/exact-json.ts';

/** A member of `paths` or `definitions` in a Swagger document. It is encoded at most once in each form. */
export interface Piece<T = unknown> {
  readonly name: string;
  readonly value: T;
  /** Returns the member as JSON: `"name":value`. */
  json(): string;
  protobuf(): Buffer;
}

/** The part of the Swagger document that describes a set of kinds. */
export interface Description {
  readonly paths: readonly Piece<SwaggerPath>[];
  readonly definitions: readonly Piece<OpenApiSchema>[];
}

/** Returns a piece. Its JSON and protobuf forms are created on first use. */
export function pieceOf<T>(name: string, value: T, encode: (name: string, value: T) => Buffer): Piece<T> {
  let json: string | undefined;
  let binary: Buffer | undefined;
  return {
    name,
    value,
    json: () => (json ??= `${JSON.stringify(name)}:${writeJson(value)}`),
    protobuf: () => (binary ??= encode(name, value)),
  };
}

/** Sorts pieces by name, keeping the first of several pieces with the same name. */
export function sortedOnce<P extends Piece>(pieces: Iterable<P>): P[] {
  const byName = new Map<string, P>();
  for (const piece of pieces) if (!byName.has(piece.name)) byName.set(piece.name, piece);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
