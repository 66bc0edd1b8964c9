import type { DeepReadonly, ScaleAccess, Strategy, VirtualSubresource } from '../kinds/kind.ts';
import { goPlain } from '../managed/go-text.ts';
import { type FieldErrors, invalidField } from '../status/field-errors.ts';
import { scaleSubresource } from '../groups/scale-subresource.ts';
import { type JsonObject, getOwn, isObject, setOwn } from '../schema/own.ts';
import type { CustomResourceSubresourceScale } from '../types/apiextensions-v1.ts';
import type { CustomObject } from './custom-object.ts';

/**
 * Returns the `scale` subresource of a custom resource (`ScaleREST` in Kubernetes 1.24). `paths` holds the
 * positions of the replica counts. `strategy` is the strategy of the parent object, because the parent must
 * be valid as a whole after scaling.
 */
export function customScale(
  paths: CustomResourceSubresourceScale,
  strategy: Strategy<CustomObject>,
): VirtualSubresource {
  const spec = segments(paths.specReplicasPath);
  const status = segments(paths.statusReplicasPath);
  const selector = paths.labelSelectorPath ? segments(paths.labelSelectorPath) : undefined;
  const scale: ScaleAccess = {
    specPath: paths.specReplicasPath,
    read: (object) => ({
      specReplicas: integerAt(object, spec),
      statusReplicas: integerAt(object, status),
      selector: selector === undefined ? undefined : textAt(object, selector),
    }),
    write: (object, replicas) => setAt(object as JsonObject, spec, replicas),
  };
  return {
    ...scaleSubresource,
    // The strategy of the parent decides whether a change of the replicas increments the generation.
    writes: {
      verbs: [],
      prepareForUpdate: countScaled(scale),
      validateUpdate: (next: DeepReadonly<CustomObject>, previous: DeepReadonly<CustomObject>, context) => [
        ...(strategy.validate?.(next, context) ?? []),
        ...(strategy.validateUpdate?.(next, previous, context) ?? []),
      ],
    },
    scale,
  };
}

const countScaled =
  (scale: ScaleAccess) =>
  (next: { metadata?: { generation?: number } }, previous: object): void => {
    if (scale.read(next).specReplicas === scale.read(previous).specReplicas) return;
    const before = (previous as { metadata?: { generation?: number } }).metadata?.generation ?? 0;
    next.metadata = { ...next.metadata, generation: before + 1 };
  };

/** Splits a path into its segments, without the leading dot. */
const segments = (path: string): readonly string[] => path.replace(/^\./, '').split('.');

function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (isObject(value) ? getOwn(value, name) : undefined), object);
}

function integerAt(object: unknown, path: readonly string[]): number | undefined {
  const value = valueAt(object, path);
  return typeof value === 'number'
    ? Math.trunc(value)
    : typeof value === 'bigint'
      ? Number(value)
      : undefined;
}

function textAt(object: unknown, path: readonly string[]): string | undefined {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : undefined;
}

/**
 * Sets a value and creates missing objects on its path. A value of another type on the path is retained, and
 * the schema rejects it.
 */
function setAt(object: JsonObject, path: readonly string[], value: unknown): void {
  let target = object;
  for (const name of path.slice(0, -1)) {
    let next = getOwn(target, name);
    if (next === undefined) setOwn(target, name, (next = {}));
    if (!isObject(next)) return;
    target = next;
  }
  setOwn(target, path.at(-1) ?? '', value);
}

const MOST_REPLICAS = 2 ** 31 - 1;

/** Checks the rules of `validateScaleSpec` and `validateScaleStatus` in Kubernetes 1.24. */
export function validateScale(
  paths: CustomResourceSubresourceScale | undefined,
  object: object,
  replicas: 'specReplicasPath' | 'statusReplicasPath',
): FieldErrors {
  if (paths === undefined) return [];
  const path = paths[replicas];
  const selector = replicas === 'statusReplicasPath' ? paths.labelSelectorPath : undefined;
  return [
    ...(validateWay(object, path, 0) ?? validateReplicas(valueAt(object, segments(path)), path)),
    ...(selector
      ? (validateWay(object, selector, '') ?? validateSelector(valueAt(object, segments(selector)), selector))
      : []),
  ];
}

/**
 * Returns the error for a value on the path that is not an object. `shown` is the value in the error message.
 */
function validateWay(object: unknown, path: string, shown: unknown): FieldErrors | undefined {
  const names = segments(path);
  for (let length = 1; length < names.length; length += 1) {
    const value = valueAt(object, names.slice(0, length));
    if (value === undefined || value === null) return undefined;
    if (isObject(value)) continue;
    const way = `.${names.slice(0, length + 1).join('.')}`;
    return [invalidField(path, shown, accessorError(way, value, 'map[string]interface{}'))];
  }
  return undefined;
}

function validateReplicas(value: unknown, path: string): FieldErrors {
  if (value === undefined) return [];
  if (typeof value !== 'bigint' && !Number.isInteger(value))
    return [invalidField(path, 0, accessorError(path, value, 'int64'))];
  if (Number(value) < 0) return [invalidField(path, value, 'should be a non-negative integer')];
  return Number(value) > MOST_REPLICAS
    ? [invalidField(path, value, `should be less than or equal to ${MOST_REPLICAS}`)]
    : [];
}

const validateSelector = (value: unknown, path: string): FieldErrors =>
  value === undefined || typeof value === 'string'
    ? []
    : [invalidField(path, '', accessorError(path, value, 'string'))];

const accessorError = (path: string, value: unknown, wanted: string): string =>
  `${path.startsWith('.') ? '' : '.'}${path} accessor error: ${goPlain(value)} is of the type ${goTypeOf(value)}, expected ${wanted}`;

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (value === null) return '<nil>';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'object'
    ? 'map[string]interface {}'
    : typeof value === 'boolean'
      ? 'bool'
      : 'string';
}
