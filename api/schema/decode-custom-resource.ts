import { undivided } from '../../base/budget/index.ts';
import { shownValue } from '../structural/problems.ts';
import { pruned } from '../structural/prune.ts';
import { ObjectMeta } from '../types/meta-v1.ts';
import type { Codec, Later } from './codec.ts';
import { type DecodeContext, DecodeError, MAX_UNKNOWN, paidPathTo, valueKind } from './decode-context.ts';
import { type FieldCodec, fieldValue } from './decode-field.ts';
import { decodePart } from './decode-part.ts';
import { formatPath } from './json.ts';
import { type JsonObject, getOwn, isObject, setOwn } from './own.ts';
import type { StructuralNode } from './structural-node.ts';

/**
 * Returns the builder of a custom resource. The common fields are decoded by their types, all other fields by
 * the schema of the custom resource.
 */
export function customResourceBuilder(
  root: StructuralNode,
  fields: readonly FieldCodec[],
  later: Later,
): (source: JsonObject, context: DecodeContext) => JsonObject {
  const embedded = { ...root, embedded: true };
  const metadata = later(ObjectMeta);
  return (source, context) => {
    const prune = (): unknown =>
      pruned(embedded, source, {
        path: context.path,
        keepsNulls: context.keepsNulls,
        unknown(key) {
          if (context.unknown.length < MAX_UNKNOWN) context.unknown.push(paidPathTo(context, key));
        },
        typeField: (key, value) => typeField(key, value, context, metadata),
      });
    // Pruning works in place and reports each dropped field once. It must therefore run without interruption,
    // because interrupted work is repeated.
    const rest = decodePart(() => undivided(prune), context) as JsonObject;
    const target: JsonObject = {};
    for (const field of fields) {
      const given = getOwn(rest, field.name);
      delete rest[field.name];
      const decoded = field.name === 'metadata' && isObject(given);
      const value = decoded ? given : fieldValue(field, given, context);
      if (value !== undefined) target[field.name] = value;
    }
    for (const key of Object.keys(rest)) setOwn(target, key, rest[key]);
    return target;
  };
}

/**
 * Decodes `kind`, `apiVersion` or `metadata` of a custom resource or of an object within a custom resource.
 * Upstream decodes metadata separately, so the paths in its error messages begin at the metadata.
 */
function typeField(key: string, value: unknown, context: DecodeContext, metadata: () => Codec): unknown {
  const { path } = context;
  const isRoot = path.length === 1;
  if (key !== 'metadata') {
    if (isRoot || typeof value === 'string') return value;
    throw misfit(context, value, 'must be a string');
  }
  if (value === null) return value;
  context.outside = path.length;
  try {
    return metadata().decode(value, context, undefined);
  } catch (thrown) {
    throw isRoot || !(thrown instanceof DecodeError) ? thrown : misfit(context, value, thrown.message);
  } finally {
    context.outside = 0;
  }
}

/**
 * Returns the error for an invalid object within a custom resource, in the form of upstream's field errors.
 */
const misfit = ({ path }: DecodeContext, value: unknown, why: string): DecodeError =>
  new DecodeError('format', `${formatPath(path)}: Invalid value: ${shownValue(value)}: ${why}`, {
    path: formatPath(path),
    found: valueKind(value),
    schema: ObjectMeta,
  });
