import type { AnyKind, ApiObject, DeepReadonly, Kind, Scheme } from '../../api/kinds/index.ts';
import { isNotFound } from '../../api/status/index.ts';
import type { Client, ListOptions, Lister, ResourceClient, SubresourceClient } from './client.ts';
import { deepFreeze } from '../../base/collections/index.ts';
import { keepLast } from './keep-last.ts';

/**
 * Wraps a client so that each kind is requested at a version that the server serves. That is the version of
 * the kind, otherwise another version in the scheme (`batch/v1` CronJob, then `batch/v1beta1`). Objects are converted,
 * so callers always receive their own version.
 *
 * Discovery is read once for each kind that has other versions, and again after a collection was not found.
 * Kinds with one version cause no request. Patches are sent unchanged, so their fields must have the same
 * names in both versions.
 */
export function negotiateVersions(client: Client): Client {
  const { scheme } = client;
  const chosen = new Map<AnyKind, Promise<AnyKind>>();
  const found = new Map<unknown, AnyKind>();

  const choose = (kind: AnyKind): Promise<AnyKind> => {
    let choice = chosen.get(kind);
    if (choice === undefined) {
      choice = firstServed(client, [kind, ...otherVersions(scheme, kind)]);
      chosen.set(kind, choice);
      choice.then(
        (served) => found.set(kind, served),
        () => chosen.delete(kind),
      );
    }
    return choice;
  };
  const versioned = <T extends ApiObject, C>(kind: Kind<T>, at: (kind: Kind<T>) => C): Versioned<T, C> => ({
    choose: async () => {
      const served = await choose(kind as unknown as AnyKind);
      const conversion = conversionOf<T>(scheme, kind, served);
      // The wrapped calls convert objects between `kind` and the served version.
      return { calls: at(served as unknown as Kind<T>), ...conversion };
    },
    forget: () => void chosen.delete(kind as unknown as AnyKind),
  });
  const withOthers = new Set(
    scheme.kinds.flatMap((each) => (each.storage?.kind.group === each.group ? [each.storage.kind] : [])),
  );
  const hasOthers = <T extends ApiObject>(kind: Kind<T>): boolean =>
    withOthers.has(kind as unknown as AnyKind);
  const kept = keepLast();
  return {
    ...client,
    namespaced: (kind, namespace) =>
      hasOthers(kind)
        ? kept(kind, namespace, () =>
            resourceClient(versioned(kind, (each) => client.namespaced(each, namespace))),
          )
        : client.namespaced(kind, namespace),
    cluster: (kind) =>
      hasOthers(kind)
        ? resourceClient(versioned(kind, (each) => client.cluster(each)))
        : client.cluster(kind),
    typeMetaOf: (kind) => scheme.typeMetaOf(found.get(kind) ?? kind),
    all: (kind) => (hasOthers(kind) ? lister(versioned(kind, (each) => client.all(each))) : client.all(kind)),
  };
}

const otherVersions = ({ kinds }: Scheme, kind: AnyKind): readonly AnyKind[] =>
  kinds.filter((each) => each.storage?.kind === kind && each.group === kind.group);

/**
 * Returns the first kind that the server serves. If it serves none, returns the first kind, so that the
 * server's error names the version that the caller requested.
 */
async function firstServed(client: Client, kinds: readonly [AnyKind, ...AnyKind[]]): Promise<AnyKind> {
  for (const kind of kinds) if (await isServed(client, kind)) return kind;
  return kinds[0];
}

async function isServed(client: Client, kind: AnyKind): Promise<boolean> {
  const apiVersion = client.scheme.apiVersionOf(kind);
  const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  try {
    const { body } = await client.request({ method: 'GET', path });
    const { resources = [] } = body as { readonly resources?: readonly { readonly name?: string }[] };
    return resources.some(({ name }) => name === kind.plural);
  } catch (thrown) {
    if (isNotFound(thrown)) return false;
    throw thrown;
  }
}

interface Conversion<T> {
  /** Converts an object to the caller's version. */
  read(object: DeepReadonly<T>): DeepReadonly<T>;
  /** Converts an object to the server's version. */
  write(object: DeepReadonly<T>): DeepReadonly<T>;
}

function conversionOf<T extends ApiObject>(scheme: Scheme, kind: Kind<T>, served: AnyKind): Conversion<T> {
  const { storage } = served;
  if ((served as unknown) === kind || storage === undefined)
    return { read: (object) => object, write: (object) => object };
  const context = { vocabulary: scheme.vocabulary };
  return {
    read: (object) =>
      deepFreeze({
        ...storage.toStorage(object as never, context),
        ...scheme.typeMetaOf(kind),
      } as DeepReadonly<T>),
    write: (object) =>
      deepFreeze({
        ...storage.fromStorage(object as never, context),
        ...scheme.typeMetaOf(served),
      } as DeepReadonly<T>),
  };
}

/** Calls on a kind whose version is selected by the first call. */
interface Versioned<T, C> {
  choose(): Promise<Conversion<T> & { readonly calls: C }>;
  forget(): void;
}

function lister<T extends ApiObject>(versioned: Versioned<T, Lister<T>>): Lister<T> {
  /** Makes the next call read discovery again, because a missing collection may exist at another version. */
  const forgetful = (thrown: unknown): never => {
    if (isNotFound(thrown)) versioned.forget();
    throw thrown;
  };
  const converted = <O extends Pick<ListOptions<T>, 'transform'>>(
    options: O,
    read: Conversion<T>['read'],
  ): O => ({
    ...options,
    transform: (object: DeepReadonly<T>) => options.transform?.(read(object)) ?? read(object),
  });
  return {
    list: async (options = {}) => {
      const { calls, read } = await versioned.choose();
      return calls.list(converted(options, read)).catch(forgetful);
    },
    async *pages(options = {}) {
      const { calls, read } = await versioned.choose();
      try {
        yield* calls.pages(converted(options, read));
      } catch (thrown) {
        forgetful(thrown);
      }
    },
    async *watch(options) {
      const { calls, read } = await versioned.choose();
      try {
        yield* calls.watch(converted(options, read));
      } catch (thrown) {
        forgetful(thrown);
      }
    },
  };
}

function resourceClient<T extends ApiObject>(versioned: Versioned<T, ResourceClient<T>>): ResourceClient<T> {
  const { choose } = versioned;
  return {
    ...lister<T>(versioned),
    get: async (name, options) => {
      const { calls, read } = await choose();
      return read(await calls.get(name, options));
    },
    getDated: async (name, options) => {
      const { calls, read } = await choose();
      const dated = await calls.getDated(name, options);
      return { ...dated, object: read(dated.object) };
    },
    create: async (object, options) => {
      const { calls, read, write } = await choose();
      return read(await calls.create(write(object), options));
    },
    update: async (object, options) => {
      const { calls, read, write } = await choose();
      return read(await calls.update(write(object), options));
    },
    patch: async (name, type, patch, options) => {
      const { calls, read } = await choose();
      return read(await calls.patch(name, type, patch, options));
    },
    delete: async (name, options) => (await choose()).calls.delete(name, options),
    deleteCollection: async (options) => (await choose()).calls.deleteCollection(options),
    subresource: (subresource) => subresourceClient(versioned, subresource),
  };
}

const subresourceClient = <T extends ApiObject>(
  { choose }: Versioned<T, ResourceClient<T>>,
  subresource: string,
): SubresourceClient<T> => ({
  get: async (name, options) => {
    const { calls, read } = await choose();
    return read(await calls.subresource(subresource).get(name, options));
  },
  update: async (object, options) => {
    const { calls, read, write } = await choose();
    return read(await calls.subresource(subresource).update(write(object), options));
  },
  patch: async (name, type, patch, options) => {
    const { calls, read } = await choose();
    return read(await calls.subresource(subresource).patch(name, type, patch, options));
  },
  create: async (name, body, options) =>
    (await choose()).calls.subresource(subresource).create(name, body, options),
});
