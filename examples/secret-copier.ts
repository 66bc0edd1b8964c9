import { type DeepReadonly, type ObjectOf, keyOf, secrets, splitKey } from 'orch/api';
import { type ReconcileInput, type Plan, createPlanMachine } from 'orch/machines';
import { type Target, createObjectWrites, defineController, targetOf, watch } from 'orch/runtime';

type Secret = DeepReadonly<ObjectOf<typeof secrets>>;

/** Annotation of a source Secret: the namespaces that receive a copy, separated by commas. */
export const COPY_TO = 'example.com/copy-to';
/** Annotation of a copy: the key of its source Secret. */
export const COPY_OF = 'example.com/copy-of';

const SOURCE_INDEX = 'copies by source';

/** Observation without the data of Secrets: the machine only learns whether a copy equals its source. */
export interface Observed {
  readonly source: string;
  readonly wanted: readonly string[];
  readonly copies: readonly {
    readonly target: Target;
    readonly namespace: string;
    readonly alike: boolean;
  }[];
}

type Create = { readonly type: 'create'; readonly source: string; readonly namespace: string };
type Renew = { readonly type: 'renew'; readonly source: string; readonly target: Target };
type Remove = { readonly type: 'remove'; readonly target: Target };
type Action = Create | Renew | Remove;

export function plan({ source, wanted, copies }: Observed): Plan<Action> {
  const missing = wanted.filter((namespace) => !copies.some((copy) => copy.namespace === namespace));
  const created = missing.map((namespace): Action => ({ type: 'create', source, namespace }));
  const corrected = copies.flatMap(({ target, namespace, alike }): readonly Action[] => {
    if (!wanted.includes(namespace)) return [{ type: 'remove', target }];
    return alike ? [] : [{ type: 'renew', source, target }];
  });
  return { actions: [...created, ...corrected] };
}

const sourceOf = ({ metadata }: Secret): readonly string[] => {
  const source = metadata?.annotations?.[COPY_OF];
  return source === undefined ? [] : [source];
};

const namespacesOf = (source: Secret | undefined): readonly string[] =>
  (source?.metadata?.annotations?.[COPY_TO] ?? '').split(',').filter((each) => each !== '');

/** Returns the merge patch that makes the data of `copy` equal to the data of `source`; empty if they are. */
function difference(source: Secret | undefined, copy: Secret | undefined) {
  const [wanted, found] = [source?.data ?? {}, copy?.data ?? {}];
  const removed = Object.keys(found).filter((key) => wanted[key] === undefined);
  const changed = Object.entries(wanted).filter(([key, value]) => found[key] !== value);
  return { ...Object.fromEntries(removed.map((key) => [key, null])), ...Object.fromEntries(changed) };
}

/** Keeps copies of Secrets in other namespaces equal to their source, and deletes them after their source. */
export const secretCopier = defineController({
  name: 'secret-copier',
  machine: createPlanMachine<Observed, Action>({
    id: 'secret-copier',
    actions: ['create', 'renew', 'remove'],
    plan,
  }),
  // A change of a copy enqueues its source, and a change of any Secret enqueues that Secret.
  watches: () => [watch(secrets, { keys: (secret) => [keyOf(secret), ...sourceOf(secret)] })],
  effects: ({ client, informers }) => {
    const informer = informers.of(secrets);
    informer.index(SOURCE_INDEX, sourceOf);
    const { store } = informer;
    const writes = createObjectWrites(client, secrets);
    return {
      observe: async ({ key }: ReconcileInput): Promise<Observed> => {
        const source = store.get(key);
        return {
          source: key,
          wanted: namespacesOf(source),
          copies: store.byIndex(SOURCE_INDEX, key).map((copy) => ({
            target: targetOf(copy),
            namespace: copy.metadata?.namespace ?? '',
            alike: Object.keys(difference(source, copy)).length === 0,
          })),
        };
      },
      create: async ({ source, namespace }: Create, signal) => {
        const found = store.get(source);
        if (found === undefined) return;
        const { type, data } = found;
        const metadata = { name: splitKey(source).name, annotations: { [COPY_OF]: source } };
        await client
          .namespaced(secrets, namespace)
          .create({ metadata, ...(type && { type }), ...(data && { data }) }, { signal });
      },
      renew: ({ source, target }: Renew, signal) =>
        writes.patch(target, { data: difference(store.get(source), store.get(target.key)) }, signal),
      remove: ({ target }: Remove, signal) => writes.delete(target, { signal }),
    };
  },
});
