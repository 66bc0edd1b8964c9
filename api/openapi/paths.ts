import { isVirtualSubresource, type Subresource, type Verb } from '../kinds/kind.ts';
import type { AnyKind, Scheme } from '../kinds/scheme.ts';
import { DeleteOptions, Status } from '../types/meta-v1.ts';
import { connectOperations } from './connect-paths.ts';
import { WATCH_EVENT, groupVersionKind, listNameOf } from './definitions.ts';
import {
  type Method,
  NAMESPACE,
  type Operation,
  PRETTY,
  type Parameter,
  mediaTypesOf,
  parameter,
  pathParameter,
  placeOf,
} from './operation.ts';
import { PATCH } from './value-definitions.ts';
import { capital } from './words.ts';

const DRY_RUN = parameter('dryRun', 'string', '`All` checks the request without storing anything.');
const FIELD_MANAGER = parameter(
  'fieldManager',
  'string',
  'Name that the fields are owned by; default the beginning of the user agent, required to apply.',
);
const FIELD_VALIDATION = parameter(
  'fieldValidation',
  'string',
  'What unknown and repeated fields lead to: `Ignore`, `Warn` or `Strict`.',
);
const FORCE = parameter(
  'force',
  'boolean',
  'True takes fields from their managers where applying conflicts.',
);
const WRITES = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION, PRETTY];
const DELETES = [
  DRY_RUN,
  parameter('gracePeriodSeconds', 'integer', 'Seconds the object may take to end; 0 deletes at once.'),
  parameter('orphanDependents', 'boolean', 'Deprecated in favour of `propagationPolicy`.'),
  PRETTY,
  parameter(
    'propagationPolicy',
    'string',
    'What becomes of dependents: `Foreground`, `Background` or `Orphan`.',
  ),
];
const RESOURCE_VERSION = parameter(
  'resourceVersion',
  'string',
  'Version to answer from, or that a watch begins after.',
);
const LISTS = [
  parameter('allowWatchBookmarks', 'boolean', 'True sends a watch the version it has reached now and then.'),
  parameter('continue', 'string', 'Token of the page before, to get the next one.'),
  parameter(
    'fieldSelector',
    'string',
    'Restricts the list of returned objects by fields, such as `metadata.name=web`.',
  ),
  parameter(
    'labelSelector',
    'string',
    'Restricts the list of returned objects by labels, such as `app=web,tier!=db`.',
  ),
  parameter('limit', 'integer', 'Most objects that one page holds; default all.'),
  PRETTY,
  RESOURCE_VERSION,
  parameter('resourceVersionMatch', 'string', 'How a list takes the version: `Exact` or `NotOlderThan`.'),
  parameter('timeoutSeconds', 'integer', 'Seconds after which the request ends.'),
  parameter('watch', 'boolean', 'Watch for changes to the described resources instead of listing them.'),
];

interface Shape {
  readonly verb: Verb;
  readonly method: Method;
  readonly action: string;
  readonly word: string;
  readonly query: readonly Parameter[];
}

const ITEM: readonly Shape[] = [
  { verb: 'get', method: 'get', action: 'get', word: 'read', query: [PRETTY] },
  { verb: 'update', method: 'put', action: 'put', word: 'replace', query: WRITES },
  { verb: 'patch', method: 'patch', action: 'patch', word: 'patch', query: [...WRITES, FORCE] },
  { verb: 'delete', method: 'delete', action: 'delete', word: 'delete', query: DELETES },
];
const COLLECTION: readonly Shape[] = [
  { verb: 'list', method: 'get', action: 'list', word: 'list', query: LISTS },
  { verb: 'create', method: 'post', action: 'post', word: 'create', query: WRITES },
  {
    verb: 'deletecollection',
    method: 'delete',
    action: 'deletecollection',
    word: 'deleteCollection',
    query: [
      ...LISTS.filter(({ name }) => name !== 'watch' && name !== 'allowWatchBookmarks'),
      ...DELETES.filter((each) => each !== PRETTY),
    ],
  },
];

/** Watch endpoints that are older than the `watch` parameter of lists and are still in use. */
const WATCHES: readonly Shape[] = [
  { verb: 'watch', method: 'get', action: 'watchlist', word: 'watch', query: LISTS },
  { verb: 'watch', method: 'get', action: 'watch', word: 'watch', query: LISTS },
];

/** Returns true if a completed deletion of the kind returns the object instead of a Status. */
export type ReturnsDeleted = (kind: AnyKind) => boolean;

/**
 * Returns the operations of the given kinds. See
 * https://kubernetes.io/docs/reference/using-api/api-concepts/.
 */
export function operationsOf(
  scheme: Scheme,
  kinds: readonly AnyKind[],
  returnsDeleted: ReturnsDeleted,
): Operation[] {
  return kinds.flatMap((kind) => kindOperations(scheme, kind, returnsDeleted));
}

/** Returns the path of a group version: `/api/v1`, `/apis/batch/v1`. */
export const rootOf = (scheme: Scheme, of: Pick<AnyKind, 'group' | 'version'>): string =>
  `/${of.group === '' ? 'api' : 'apis'}/${scheme.apiVersionOf(of)}`;

/** True for a custom resource, whose type has a separate schema. */
const isCustom = ({ schema }: AnyKind): boolean => schema.root !== undefined;

function kindOperations(scheme: Scheme, kind: AnyKind, returnsDeleted: ReturnsDeleted): Operation[] {
  const root = rootOf(scheme, kind);
  const scope = kind.namespaced ? '/namespaces/{namespace}' : '';
  const collection = `${root}${scope}/${kind.plural}`;
  const item = `${collection}/{name}`;
  const writer = operationWriter(scheme, kind, returnsDeleted(kind));
  const has = ({ verb }: Shape): boolean => kind.verbs.includes(verb);
  const operations = [
    ...COLLECTION.filter(has).map((shape) => writer(collection, shape)),
    ...ITEM.filter(has).map((shape) => writer(item, shape)),
  ];
  const [list] = COLLECTION;
  if (kind.namespaced && list !== undefined && has(list))
    operations.push(writer(`${root}/${kind.plural}`, list));
  for (const [name, subresource] of Object.entries<Subresource<never>>(kind.subresources))
    operations.push(...subresourceOperations(writer, `${item}/${name}`, name, subresource));
  if (!isCustom(kind) && kind.verbs.includes('watch'))
    operations.push(...watchOperations(writer, kind, root));
  operations.push(...connectOperations(scheme, kind, item));
  return operations;
}

function watchOperations(
  writer: OperationWriter,
  { plural, namespaced }: AnyKind,
  root: string,
): Operation[] {
  const [many, one] = WATCHES;
  if (many === undefined || one === undefined) return [];
  const collection = `${root}/watch${namespaced ? '/namespaces/{namespace}' : ''}/${plural}`;
  return [
    writer(collection, many),
    writer(`${collection}/{name}`, one),
    ...(namespaced ? [writer(`${root}/watch/${plural}`, many)] : []),
  ];
}

type OperationWriter = (
  path: string,
  shape: Shape,
  subresource?: { readonly name: string; readonly of: Subresource<never> },
) => Operation;

function subresourceOperations(
  writer: OperationWriter,
  path: string,
  name: string,
  of: Subresource<never>,
): Operation[] {
  const verbs: readonly Verb[] = of.verbs;
  return [...ITEM, ...COLLECTION]
    .filter(({ verb }) => verbs.includes(verb))
    .map((shape) => writer(path, shape, { name, of }));
}

function operationWriter(scheme: Scheme, kind: AnyKind, returnsDeleted: boolean): OperationWriter {
  const { tag, place } = placeOf(kind);
  const media = mediaTypesOf(isCustom(kind) ? undefined : scheme.vocabulary.protobufMediaType);
  const streams = isCustom(kind) ? [] : media.filter((type) => !type.endsWith('yaml'));
  return (path, shape, subresource) => {
    const virtual =
      subresource !== undefined && isVirtualSubresource(subresource.of) ? subresource.of : undefined;
    const schema = virtual?.schema.name ?? kind.schema.name;
    const suffix = subresource === undefined ? '' : capital(subresource.name);
    const scope = path.includes('{namespace}') ? 'Namespaced' : '';
    const across = kind.namespaced && scope === '' ? 'ForAllNamespaces' : '';
    const collection = shape.action === 'deletecollection' ? 'Collection' : '';
    const listed = shape.action === 'watchlist' ? 'List' : '';
    const word = shape.word.replace('Collection', '');
    return {
      path,
      method: shape.method,
      operationId: `${word}${place}${collection}${scope}${kind.kind}${suffix}${listed}${across}`,
      tag,
      description: `${shape.word.replace('deleteCollection', 'delete collection of')} ${kind.kind}${subresource === undefined ? '' : ` ${subresource.name}`}`,
      subject: {
        action: shape.action,
        gvk: groupVersionKind(scheme, isCustom(kind) ? kind : (virtual ?? kind)),
      },
      parameters: [
        ...(path.includes('{name}') ? [pathParameter('name', `name of the ${kind.kind}`)] : []),
        ...(path.includes('{namespace}') ? [NAMESPACE] : []),
        ...shape.query,
        ...(isCustom(kind) && shape.action === 'get' ? [RESOURCE_VERSION] : []),
      ],
      body: bodyOf(shape, schema),
      consumes: consumedBy(shape, kind),
      produces: STREAMED.has(shape.action)
        ? [...media, ...streams.map((type) => `${type};stream=watch`)]
        : media,
      responses: responsesOf(
        shape,
        kind,
        answerOf(shape, kind, schema, returnsDeleted ? schema : Status.name),
      ),
    };
  };
}

const STREAMED = new Set(['list', 'watch', 'watchlist']);

function answerOf({ action, verb }: Shape, kind: AnyKind, schema: string, deleted: string): string {
  if (verb === 'watch') return WATCH_EVENT;
  switch (action) {
    case 'list':
      return listNameOf(kind);
    case 'delete':
      return deleted;
    case 'deletecollection':
      return Status.name;
    default:
      return schema;
  }
}

const STRATEGIC = 'application/strategic-merge-patch+json';
const PATCHES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  STRATEGIC,
  'application/apply-patch+yaml',
];

/**
 * Returns the accepted media types. Clients derive the forms of patches from them; custom resources do not
 * support strategic merge patches.
 */
function consumedBy({ method }: Shape, kind: AnyKind): readonly string[] {
  if (method === 'patch') return isCustom(kind) ? PATCHES.filter((each) => each !== STRATEGIC) : PATCHES;
  return isCustom(kind) ? mediaTypesOf() : ['*/*'];
}

function bodyOf(shape: Shape, schema: string): string | undefined {
  if (shape.method === 'get') return undefined;
  if (shape.method === 'delete') return DeleteOptions.name;
  return shape.method === 'patch' ? PATCH : schema;
}

/**
 * Returns the responses, by the status codes of release 1.24. A patch can create a built-in object by apply,
 * but not a custom resource.
 */
function responsesOf({ action }: Shape, kind: AnyKind, schema: string): Record<string, string> {
  switch (action) {
    case 'post':
      return { '200': schema, '201': schema, '202': schema };
    case 'put':
      return { '200': schema, '201': schema };
    case 'patch':
      return isCustom(kind) ? { '200': schema } : { '200': schema, '201': schema };
    case 'delete':
      return { '200': schema, '202': schema };
    default:
      return { '200': schema };
  }
}
