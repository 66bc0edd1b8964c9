import { isVirtualSubresource, type Subresource, type Verb } from '../kinds/kind.ts';
import type { AnyKind, Scheme } from '../kinds/scheme.ts';
import { connectOperations } from './connect-paths.ts';
import { WATCH_EVENT, groupVersionKind, listNameOf } from './definitions.ts';
import { NAMESPACE, type Operation, type Parameter, capital, parameter, placeOf } from './operation.ts';

const PRETTY = parameter('pretty', 'string', '`true` indents the answer.');
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
  parameter('resourceVersion', 'string', 'Version to answer from, or that a watch begins after.'),
  parameter('resourceVersionMatch', 'string', 'How a list takes the version: `Exact` or `NotOlderThan`.'),
  parameter('timeoutSeconds', 'integer', 'Seconds after which the request ends.'),
  parameter('watch', 'boolean', 'Watch for changes to the described resources instead of listing them.'),
];

const STATUS = 'apimachinery.pkg.apis.meta.v1.Status';
const DELETE_OPTIONS = 'apimachinery.pkg.apis.meta.v1.DeleteOptions';
const PATCH = 'apimachinery.pkg.apis.meta.v1.Patch';

interface Shape {
  readonly verb: Verb;
  readonly method: Operation['method'];
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

/** Older than the `watch` parameter of a list, and still used. */
const WATCHES: readonly Shape[] = [
  { verb: 'watch', method: 'get', action: 'watchlist', word: 'watch', query: LISTS },
  { verb: 'watch', method: 'get', action: 'watch', word: 'watch', query: LISTS },
];

/** What can be asked of the given kinds, by path (specification 1, section 4.1). */
export function operationsOf(scheme: Scheme, kinds: readonly AnyKind[]): Operation[] {
  return kinds.flatMap((kind) => kindOperations(scheme, kind));
}

function kindOperations(scheme: Scheme, kind: AnyKind): Operation[] {
  const version = scheme.apiVersionOf(kind);
  const root = kind.group === '' ? `/api/${version}` : `/apis/${version}`;
  const scope = kind.namespaced ? '/namespaces/{namespace}' : '';
  const collection = `${root}${scope}/${kind.plural}`;
  const item = `${collection}/{name}`;
  const writer = operationWriter(scheme, kind);
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
  if (kind.schema.root === undefined && kind.verbs.includes('watch'))
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

function operationWriter(scheme: Scheme, kind: AnyKind): OperationWriter {
  const { tag, place } = placeOf(kind);
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
      action: shape.action,
      gvk: groupVersionKind(scheme, virtual ?? kind),
      pathParameters: [
        ...(path.includes('{name}') ? [parameter('name', 'string', `name of the ${kind.kind}`)] : []),
        ...(path.includes('{namespace}') ? [NAMESPACE] : []),
      ],
      queryParameters: shape.query,
      body: bodyOf(shape, schema),
      consumes: shape.method === 'patch' ? patchesOf(kind) : ['*/*'],
      responses: responsesOf(shape, answerOf(shape, kind, schema)),
    };
  };
}

function answerOf({ action, verb }: Shape, kind: AnyKind, schema: string): string {
  if (verb === 'watch') return WATCH_EVENT;
  return action === 'list' ? listNameOf(kind) : schema;
}

const STRATEGIC = 'application/strategic-merge-patch+json';
const PATCHES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  STRATEGIC,
  'application/apply-patch+yaml',
];

/** Clients choose how to patch by these: a custom resource's schema does not say how its lists merge. */
const patchesOf = (kind: AnyKind): readonly string[] =>
  kind.schema.root === undefined ? PATCHES : PATCHES.filter((each) => each !== STRATEGIC);

function bodyOf(shape: Shape, schema: string): string | undefined {
  if (shape.method === 'get') return undefined;
  if (shape.method === 'delete') return DELETE_OPTIONS;
  return shape.method === 'patch' ? PATCH : schema;
}

function responsesOf(shape: Shape, schema: string): Record<string, string> {
  switch (shape.method) {
    case 'get':
      return { '200': schema };
    case 'post':
      return { '200': schema, '201': schema, '202': schema };
    case 'delete':
      return shape.action === 'delete' ? { '200': STATUS, '202': STATUS } : { '200': STATUS };
    default:
      return { '200': schema, '201': schema };
  }
}
