import {
  type ApiObject,
  type Column,
  type ConversionContext,
  type DeepReadonly,
  type Deprecation,
  type Kind,
  type ObjectSubresource,
  type Strategy,
  type Subresource,
  defineKind,
  isVirtualSubresource,
} from '../kinds/kind.ts';
import { cloneJson } from '../schema/own.ts';
import type { StructSchema } from '../schema/schema.ts';

/**
 * Conversion between two versions. The functions are pure and lossless, and leave their arguments unchanged.
 */
export interface Conversion<V extends ApiObject, S extends ApiObject> {
  toStorage(object: DeepReadonly<V>, context: ConversionContext): S;
  fromStorage(object: DeepReadonly<S>, context: ConversionContext): V;
}

interface Version<V extends ApiObject, S extends ApiObject> {
  /** Group of the version; the default is the group of the stored kind. */
  readonly group?: string;
  readonly version: string;
  readonly schema: StructSchema;
  readonly conversion: Conversion<V, S>;
  readonly deprecated?: Deprecation;
  /**
   * Converts an object for the columns and field selectors of the stored kind. The default returns the
   * object.
   */
  readonly shown?: (object: DeepReadonly<V>) => DeepReadonly<S>;
  /** Selectable fields; the default is those of the stored kind, under the same paths. */
  readonly selectableFields?: Kind<V>['selectableFields'];
  /**
   * Strategy of this version for the stored form of its objects; the default is the strategy of the stored
   * kind.
   */
  readonly storedStrategy?: Strategy<S>;
  /** Strategy of this version for objects in the form of this version. It replaces `storedStrategy`. */
  readonly strategy?: Strategy<V>;
}

/**
 * Declares another version of a kind. The version has its own schema and shares all other properties with the
 * stored kind. Strategy, columns and subresources work on the stored form, so that each rule is written once
 * for all versions.
 */
export function defineVersion<V extends ApiObject, S extends ApiObject>(
  stored: Kind<S>,
  declared: Version<V, S>,
): Kind<V> {
  const { conversion, deprecated, selectableFields } = declared;
  const shown = declared.shown ?? ((object) => object as unknown as DeepReadonly<S>);
  const { rowOrder } = stored;
  return defineKind<V>({
    ...(stored as unknown as Kind<V>),
    group: declared.group ?? stored.group,
    version: declared.version,
    schema: declared.schema,
    strategy: {
      ...liftStrategy(declared.storedStrategy ?? stored.strategy, conversion),
      ...declared.strategy,
    },
    subresources: Object.fromEntries(
      Object.entries(stored.subresources).map(([name, each]) => [name, liftSubresource(each, conversion)]),
    ),
    columns: stored.columns.map((column): Column<V> => ({
      ...column,
      cell: (object, nowMs) => column.cell(shown(object), nowMs),
    })),
    rowOrder: rowOrder && ((one, other) => rowOrder(shown(one), shown(other))),
    selectableFields:
      selectableFields ??
      Object.fromEntries(
        Object.entries(stored.selectableFields).map(([path, read]) => [
          path,
          (object: DeepReadonly<V>) => read(shown(object)),
        ]),
      ),
    storage: { kind: stored as unknown as Kind<never>, ...conversion },
    deprecated,
  });
}

/** Returns the conversion between two versions with the same fields. */
export const sameShape = <T extends ApiObject>(): Conversion<T, T> => ({
  toStorage: (object) => cloneJson(object) as T,
  fromStorage: (object) => cloneJson(object) as T,
});

const frozen = <T>(object: T): DeepReadonly<T> => object as DeepReadonly<T>;

/** Makes `object` equal to `next`, except for its kind and apiVersion. */
function become(object: ApiObject, next: ApiObject): void {
  const { kind: _kind, apiVersion: _apiVersion, ...fields } = next;
  for (const field of Object.keys(object))
    if (field !== 'kind' && field !== 'apiVersion') Reflect.deleteProperty(object, field);
  Object.assign(object, fields);
}

function liftStrategy<V extends ApiObject, S extends ApiObject>(
  strategy: Strategy<S>,
  { toStorage, fromStorage }: Conversion<V, S>,
): Strategy<V> {
  const { defaults, prepareForCreate, prepareForUpdate } = strategy;
  const { validate, validateCreate, validateUpdate, warnings } = strategy;
  const within = (object: V, context: ConversionContext, change: (stored: S) => void): void => {
    const stored = toStorage(frozen(object), context);
    change(stored);
    become(object, fromStorage(frozen(stored), context));
  };
  const as = (object: DeepReadonly<V>, context: ConversionContext): DeepReadonly<S> =>
    frozen(toStorage(object, context));
  return {
    ...(defaults && {
      defaults: (object: V, context) => within(object, context, (stored) => defaults(stored, context)),
    }),
    ...(prepareForCreate && {
      prepareForCreate: (next: V, context) =>
        within(next, context, (stored) => prepareForCreate(stored, context)),
    }),
    ...(prepareForUpdate && {
      prepareForUpdate: (next: V, previous, context) =>
        within(next, context, (stored) => prepareForUpdate(stored, as(previous, context), context)),
    }),
    ...(validate && { validate: (next, context) => validate(as(next, context), context) }),
    ...(validateCreate && {
      validateCreate: (next, context) => validateCreate(as(next, context), context),
    }),
    ...(validateUpdate && {
      validateUpdate: (next, previous, context) =>
        validateUpdate(as(next, context), as(previous, context), context),
    }),
    ...(warnings && {
      warnings: (next, previous, context) =>
        warnings(as(next, context), previous && as(previous, context), context),
    }),
  };
}

function liftSubresource<V extends ApiObject, S extends ApiObject>(
  subresource: Subresource<S>,
  conversion: Conversion<V, S>,
): Subresource<V> {
  if (isVirtualSubresource(subresource)) return subresource;
  const { verbs, prepareForUpdate, validateUpdate } = subresource;
  const lifted = liftStrategy<V, S>(
    { prepareForUpdate, ...(validateUpdate && { validateUpdate }) },
    conversion,
  );
  return { verbs, ...lifted } as ObjectSubresource<V>;
}
