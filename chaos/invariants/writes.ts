import { writeJson } from '../../api/schema/exact-json.ts';
import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { equalJson } from '../../api/schema/own.ts';
import type { Commit } from './invariant.ts';

/** What a controller may do: to which resource (`*` for every one), and of an update which fields it may change. */
interface Right {
  readonly resource: string;
  readonly creates?: true;
  readonly deletes?: true;
  /** Dotted paths; what is below them is included. A `*` ends a name: `data.jws-kubeconfig-*`. */
  readonly fields?: readonly string[];
}

const finalizers = 'metadata.finalizers';
const owners = 'metadata.ownerReferences';

/** Who may write what. A controller that is not named here may write anything: nobody has said what is its own. */
const rights: Readonly<Record<string, readonly Right[]>> = {
  bootstrapsigner: [{ resource: '/configmaps', fields: ['data.jws-kubeconfig-*'] }],
  'clusterrole-aggregation': [{ resource: 'rbac.authorization/clusterroles', fields: ['rules'] }],
  cronjob: [
    { resource: 'batch/cronjobs', fields: ['status'] },
    { resource: 'batch/jobs', creates: true, deletes: true },
  ],
  csrapproving: [{ resource: 'certificates/certificatesigningrequests', fields: ['status.conditions'] }],
  csrcleaner: [{ resource: 'certificates/certificatesigningrequests', deletes: true }],
  csrsigning: [
    {
      resource: 'certificates/certificatesigningrequests',
      fields: ['status.certificate', 'status.conditions'],
    },
  ],
  garbagecollector: [{ resource: '*', deletes: true, fields: [finalizers, owners] }],
  job: [
    // The annotation says that its pods are counted by finalizers.
    { resource: 'batch/jobs', fields: ['status', 'metadata.annotations'] },
    { resource: '/pods', creates: true, deletes: true, fields: [finalizers, owners] },
  ],
  'legacy-service-account-token-cleaner': [
    { resource: '/secrets', deletes: true, fields: ['metadata.labels'] },
  ],
  namespace: [
    { resource: '*', deletes: true },
    { resource: '/namespaces', fields: ['spec.finalizers', 'status'] },
  ],
  'pv-protection': [{ resource: '/persistentvolumes', fields: [finalizers] }],
  'pvc-protection': [{ resource: '/persistentvolumeclaims', fields: [finalizers] }],
  resourcequota: [{ resource: '/resourcequotas', fields: ['status'] }],
  'root-ca-cert-publisher': [
    { resource: '/configmaps', creates: true, fields: ['data', 'metadata.annotations'] },
  ],
  serviceaccount: [{ resource: '/serviceaccounts', creates: true }],
  'serviceaccount-token': [
    { resource: '/secrets', creates: true, deletes: true, fields: ['data', 'metadata.annotations'] },
    { resource: '/serviceaccounts', fields: ['secrets'] },
  ],
  tokencleaner: [{ resource: '/secrets', deletes: true }],
  ttlafterfinished: [{ resource: 'batch/jobs', deletes: true }],
};

/** What the server counts and writes by itself at every write. */
const SERVERS_OWN = new Set([
  'metadata.resourceVersion',
  'metadata.managedFields',
  'metadata.generation',
  'metadata.deletionTimestamp',
  'metadata.deletionGracePeriodSeconds',
]);

/** What of a commit is not the controller's to do, as one clause; undefined where all of it is. */
export function trespass({ actor, resource, verb, before, after }: Commit): string | undefined {
  const own = rights[actor]?.filter((right) => right.resource === '*' || right.resource === resource);
  if (own === undefined) return undefined;
  if (verb === 'delete') return own.some(({ deletes }) => deletes) ? undefined : `deleted one of ${resource}`;
  if (verb === 'create' || !before || !after)
    return own.some(({ creates }) => creates) || before ? undefined : `created one of ${resource}`;
  const fields = own.flatMap((right) => right.fields ?? []);
  const foreign = foreignChange(before, after, '', (path) => fields.some((field) => covers(field, path)));
  return foreign === undefined ? undefined : `changed ${foreign} of one of ${resource}`;
}

export const hasRights = ({ actor }: Commit): boolean => rights[actor] !== undefined;

const covers = (field: string, path: string): boolean =>
  field.endsWith('*') ? path.startsWith(field.slice(0, -1)) : path === field || path.startsWith(`${field}.`);

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Path of the first field that differs and is not one's own, lists as a whole. What is below an own field is own too. */
function foreignChange(
  before: unknown,
  after: unknown,
  path: string,
  isOwn: (path: string) => boolean,
): string | undefined {
  if (before === after || SERVERS_OWN.has(path) || isOwn(path)) return undefined;
  // What is there only now, or no more, is told by its fields: who may change them may make what holds them.
  if (!isFields(before ?? after) || !isFields(after ?? before))
    return equalJson(before, after) ? undefined : path;
  const [was, is] = [(before ?? {}) as Fields, (after ?? {}) as Fields];
  for (const name of Object.keys({ ...was, ...is })) {
    if (was[name] === is[name]) continue;
    const found = foreignChange(was[name], is[name], path === '' ? name : `${path}.${name}`, isOwn);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Values of Secrets that are long enough to be told from any other text. */
const SECRET_CHARS = 8;

/** A secret that an object shows: the name of the Secret. Bootstrap tokens' ids are public. */
export function shownSecret(
  object: DeepReadonly<ApiObject>,
  secrets: readonly DeepReadonly<ApiObject>[],
): string | undefined {
  const text = writeJson(object);
  for (const [beginning, values] of beginningsOf(secrets)) {
    const found = text.includes(beginning) ? values.find(({ value }) => text.includes(value)) : undefined;
    if (found !== undefined) return found.name;
  }
  return undefined;
}

/** What Secrets hold, by how it begins: tokens, of which there are most, all begin alike. */
type Beginnings = ReadonlyMap<string, { readonly value: string; readonly name: string | undefined }[]>;

/** Of lists of Secrets: each is looked through at every commit until there is another. */
const knownBeginnings = new WeakMap<readonly DeepReadonly<ApiObject>[], Beginnings>();

function beginningsOf(secrets: readonly DeepReadonly<ApiObject>[]): Beginnings {
  const known = knownBeginnings.get(secrets);
  if (known !== undefined) return known;
  const beginnings = new Map<string, { value: string; name: string | undefined }[]>();
  for (const secret of secrets)
    for (const value of valuesOf(secret)) {
      const beginning = value.slice(0, SECRET_CHARS);
      const alike = beginnings.get(beginning) ?? [];
      alike.push({ value, name: secret.metadata?.name });
      beginnings.set(beginning, alike);
    }
  knownBeginnings.set(secrets, beginnings);
  return beginnings;
}

const PUBLIC = new Set(['ca.crt', 'namespace', 'token-id', 'expiration', 'description', 'auth-extra-groups']);

/** Of Secrets as they stood at one revision: each is asked for at every commit after it. */
const knownValues = new WeakMap<DeepReadonly<ApiObject>, readonly string[]>();

function valuesOf(secret: DeepReadonly<ApiObject>): readonly string[] {
  const known = knownValues.get(secret) ?? readValues(secret);
  knownValues.set(secret, known);
  return known;
}

const readValues = (secret: DeepReadonly<ApiObject>): readonly string[] => {
  const { data = {} } = secret as { readonly data?: Readonly<Record<string, string>> };
  return Object.entries(data).flatMap(([name, value]) => {
    const plain = Buffer.from(value, 'base64').toString();
    return PUBLIC.has(name) || name.startsWith('usage-') || plain.length < SECRET_CHARS ? [] : [value, plain];
  });
};
