import { badRequest, notAcceptable } from '../../../api/status/index.ts';
import {
  type AnyKind,
  type ApiObject,
  CREATED,
  type Column,
  type DeepReadonly,
  ageColumn,
  nameColumn,
} from '../../../api/kinds/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { Int64, JsonObject } from '../../../api/schema/index.ts';
import type { MadeList } from './list-writer.ts';
import type { Transform } from './negotiation.ts';

type Cell = string | Int64 | boolean | null;
type AnyObject = DeepReadonly<ApiObject>;

interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** Compiled columns of a kind. */
export interface Printer {
  readonly definitions: readonly ColumnDefinition[];
  cells(object: AnyObject, nowMs: number): Cell[];
}

/** Transformation of a list, item by item. */
export interface ListForm extends Pick<MadeList, 'frame' | 'member' | 'form'> {
  /** Compares items. Undefined if the rows have the order of the list. */
  readonly order: ((one: AnyObject, other: AnyObject) => number) | undefined;
}

/** Transformations of objects and lists: Table or partial metadata. */
export interface Transformer {
  /** Transforms one object. Throws a 406 for a list form. */
  one(object: AnyObject): unknown;
  /** Returns the transformation of a list. Throws a 406 for the form of a single object. */
  many(metadata: object): ListForm;
  /** Returns the transformation of watch events. Only the first Table has column definitions. */
  stream(): (object: AnyObject) => unknown;
}

const printers = new WeakMap<AnyKind, Printer>();

/** Returns the `includeObject` parameter of a Table request. Throws a 400 for another value. */
function includeObjectOf(query: URLSearchParams): 'None' | 'Metadata' | 'Object' {
  const asked = query.get('includeObject') ?? '';
  if (asked === '') return 'Metadata';
  if (asked === 'None' || asked === 'Metadata' || asked === 'Object') return asked;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(asked)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** Creates the transformer of a kind. Throws a 400 for an unknown `includeObject`. */
export function createTransformer(
  as: Transform,
  kind: AnyKind,
  vocabulary: Vocabulary,
  query: URLSearchParams,
  now: () => number,
): Transformer {
  const apiVersion = `${vocabulary.group('meta')}/${as.version}`;
  const metadataOf = (object: AnyObject): unknown => ({
    kind: 'PartialObjectMetadata',
    apiVersion,
    metadata: object.metadata ?? {},
  });
  if (as.kind !== 'Table') return partialMetadata(as, kind, apiVersion, metadataOf);
  const include = includeObjectOf(query);
  const printer = printerOf(kind, vocabulary);
  const noHeaders = query.get('noHeaders') === 'true';
  const rowOf = (object: AnyObject): unknown => ({
    cells: printer.cells(object, now()),
    object: include === 'None' ? null : include === 'Object' ? object : metadataOf(object),
  });
  const frame = (metadata: object, headers: boolean): JsonObject => ({
    kind: 'Table',
    apiVersion,
    metadata,
    columnDefinitions: headers ? printer.definitions : null,
  });
  const ofOne = (object: AnyObject, headers: boolean): unknown => ({
    ...frame({ resourceVersion: object.metadata?.resourceVersion ?? '' }, headers),
    rows: [rowOf(object)],
  });
  return {
    one: (object) => ofOne(object, !noHeaders),
    many: (metadata) => ({
      frame: frame(metadata, !noHeaders),
      member: 'rows',
      form: rowOf,
      order: kind.rowOrder && ((one, other) => kind.rowOrder?.(one as never, other as never) ?? 0),
    }),
    stream: () => {
      let headers = !noHeaders;
      return (object) => {
        const first = headers;
        headers = false;
        return ofOne(object, first);
      };
    },
  };
}

function partialMetadata(
  as: Transform,
  kind: AnyKind,
  apiVersion: string,
  metadataOf: (object: AnyObject) => unknown,
): Transformer {
  const internal = `*${kind.group === '' ? 'core' : (kind.group.split('.')[0] ?? '')}.${kind.kind}`;
  const one = (object: AnyObject): unknown => {
    if (as.kind === 'PartialObjectMetadata') return metadataOf(object);
    throw notAcceptable(
      `you requested PartialObjectMetadataList, but the requested object is not a list (${internal})`,
    );
  };
  return {
    one,
    many: (metadata) => {
      if (as.kind === 'PartialObjectMetadata')
        throw notAcceptable(
          `you requested PartialObjectMetadata, but the requested object is a list (${internal}List)`,
        );
      const frame = { kind: 'PartialObjectMetadataList', apiVersion, metadata };
      return { frame, member: 'items', form: metadataOf, order: undefined };
    },
    stream: () => metadataOf,
  };
}

/**
 * Returns the columns of a kind. A Name and an Age column are added to its declared columns, unless these
 * include Name. A kind without declared columns has Name and Created At.
 */
export function printerOf(kind: AnyKind, vocabulary: Vocabulary): Printer {
  const known = printers.get(kind);
  if (known !== undefined) return known;
  const own = kind.columns as unknown as readonly Column[];
  const named = (name: string): boolean => own.some((column) => column.name === name);
  const columns: readonly Column[] =
    own.length === 0
      ? [nameColumn, createdAtColumn]
      : named('Name')
        ? own
        : [nameColumn, ...own, ...(named('Age') ? [] : [ageColumn])];
  const printer: Printer = {
    definitions: columns.map(({ name, type, format = '', description, priority = 0 }) => ({
      name,
      type,
      format,
      description:
        description === undefined ? descriptionOf(name, vocabulary) : worded(description, vocabulary),
      priority,
    })),
    cells: (object, nowMs) => columns.map((column) => column.cell(object, nowMs)),
  };
  printers.set(kind, printer);
  return printer;
}

const nameDescription = (vocabulary: Vocabulary): string =>
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. ' +
  `More info: http://${vocabulary.domain}/docs/user-guide/identifiers#names`;

/** Replaces placeholders such as `{product}` by words of the vocabulary. */
function worded(text: string, { domain, groupSuffix, product, short }: Vocabulary): string {
  if (!text.includes('{')) return text;
  const Product = `${product.slice(0, 1).toUpperCase()}${product.slice(1)}`;
  const words = new Map(Object.entries({ domain, groupSuffix, product, Product, short }));
  return text.replace(/\{(\w+)\}/g, (place, name: string) => words.get(name) ?? place);
}

/** Second column of a kind without declared columns: the creation time as it is stored, not as an age. */
const createdAtColumn: Column = {
  name: 'Created At',
  type: 'date',
  cell: (object) => object.metadata?.creationTimestamp ?? '',
};

const descriptionOf = (name: string, vocabulary: Vocabulary): string => {
  if (name === 'Name') return nameDescription(vocabulary);
  return name === 'Age' || name === 'Created At' ? CREATED : '';
};
