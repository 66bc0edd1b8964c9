import { type AnyStateMachine, StateMachine } from 'xstate';
import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { isConflict, isNotFound, notFound } from '../../api/status/index.ts';
import { type ReconcileOutput, settled } from '../../machines/reconcile/index.ts';
import type {
  Client,
  ControllerContext,
  ControllerDefinition,
  Effects,
  ResourceClient,
  SubresourceClient,
  Watch,
} from '../../runtime/index.ts';

/** Turns a correct controller into one with a defect. */
export type Mutation = (definition: ControllerDefinition) => ControllerDefinition;

// --- controller context
// -------------------------------------------------------------------------------------------------

/** Changes the controller's context once, so that watches and effects share the changed context. */
function withContext(change: (context: ControllerContext) => ControllerContext): Mutation {
  return (definition) => {
    const changed = new WeakMap<ControllerContext, ControllerContext>();
    const of = (context: ControllerContext): ControllerContext => {
      let found = changed.get(context);
      if (!found) changed.set(context, (found = change(context)));
      return found;
    };
    return {
      ...definition,
      watches: (context) => definition.watches(of(context)),
      effects: (context) => definition.effects(of(context)),
    };
  };
}

type Any = ResourceClient<ApiObject>;
type Wrap = (client: Any, informed: (name: string) => DeepReadonly<ApiObject> | undefined) => Any;

const withClient = (wrap: Wrap): Mutation =>
  withContext((context) => {
    const { client, informers } = context;
    const wrapped: Client = {
      ...client,
      namespaced: (kind, namespace) =>
        wrap(client.namespaced(kind, namespace) as unknown as Any, (name) =>
          informers.of(kind).store.get(`${namespace}/${name}`),
        ) as never,
      cluster: (kind) =>
        wrap(client.cluster(kind) as unknown as Any, (name) => informers.of(kind).store.get(name)) as never,
    };
    return { ...context, client: wrapped };
  });

type Metadata = { readonly uid?: string; readonly resourceVersion?: string };
export type Fence = 'uid' | 'resourceVersion';

function unfenced<T extends object>(body: T, fences: readonly Fence[]): T {
  const { metadata } = body as { readonly metadata?: Metadata };
  if (!metadata) return body;
  const kept = Object.entries(metadata).filter(([field]) => !fences.includes(field as Fence));
  return { ...body, metadata: Object.fromEntries(kept) };
}

const unfencedSubresource = (
  inner: SubresourceClient<ApiObject>,
  fences: readonly Fence[],
): typeof inner => ({
  ...inner,
  update: (object, options) => inner.update(unfenced(object, fences), options),
  patch: (name, type, patch, options) => inner.patch(name, type, unfenced(patch as object, fences), options),
});

/** Removes the uid or version preconditions of writes and deletions. */
export const withoutPreconditions = (...fences: readonly Fence[]): Mutation =>
  withClient((inner) => ({
    ...inner,
    ...unfencedSubresource(inner as unknown as SubresourceClient<ApiObject>, fences),
    get: inner.get,
    create: inner.create,
    subresource: (name) => unfencedSubresource(inner.subresource(name), fences),
    delete: (name, options = {}) => {
      const { preconditions = {}, ...rest } = options;
      const kept = Object.entries(preconditions).filter(([field]) => !fences.includes(field as Fence));
      return inner.delete(name, { ...rest, preconditions: Object.fromEntries(kept) });
    },
  }));

/** Answers live reads from the cache. */
export const withCachedReads: Mutation = withClient((inner, informed) => {
  const read = async (name: string): Promise<DeepReadonly<ApiObject>> => {
    const found = informed(name);
    if (!found) throw notFound({ group: '', resource: 'cached' }, name);
    return found;
  };
  return {
    ...inner,
    get: read,
    getDated: async (name, options) => ({
      ...(await inner.getDated(name, options)),
      object: await read(name),
    }),
  };
});

/** Shifts all clock readings by `ms` milliseconds. */
export const withClockOffBy = (ms: number): Mutation => {
  const server = withClient((inner) => ({
    ...inner,
    getDated: async (name, options) => {
      const dated = await inner.getDated(name, options);
      return { ...dated, serverMs: dated.serverMs + ms };
    },
  }));
  const own = withContext((context) => {
    const { clock, client } = context;
    const { serverClock } = client;
    return {
      ...context,
      clock: { ...clock, now: () => clock.now() + ms },
      client: { ...client, serverClock: { now: () => serverClock.now() + ms } },
    };
  });
  return (definition) => own(server(definition));
};

/** Treats a 404 or a 409 as the success of a write. */
export const withRefusalsIgnored = (which: 404 | 409): Mutation => {
  const isIgnored = which === 404 ? isNotFound : isConflict;
  const quietly = async <T>(write: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await write;
    } catch (thrown) {
      if (!isIgnored(thrown)) throw thrown;
      return otherwise;
    }
  };
  const quiet = (inner: SubresourceClient<ApiObject>): typeof inner => ({
    ...inner,
    update: (object, options) => quietly(inner.update(object, options), object),
    patch: (name, type, patch, options) => quietly(inner.patch(name, type, patch, options), {}),
  });
  return withClient((inner) => ({
    ...inner,
    ...quiet(inner as unknown as SubresourceClient<ApiObject>),
    get: inner.get,
    create: (object, options) => quietly(inner.create(object, options), object),
    subresource: (name) => quiet(inner.subresource(name)),
    delete: (name, options) => quietly(inner.delete(name, options), undefined),
  }));
};

// --- effects
// ------------------------------------------------------------------------------------------------------------

const withEffects =
  (change: (effects: Effects) => Effects): Mutation =>
  (definition) => ({
    ...definition,
    effects: async (context) => change(await definition.effects(context)),
  });

/** Replaces the failure of an effect by a success with `output`. */
export const withErrorSwallowed = (effect: string, output?: unknown): Mutation =>
  withEffects((effects) => ({
    ...effects,
    [effect]: async (input: never, signal) => {
      try {
        return await effects[effect]?.(input, signal);
      } catch {
        return output;
      }
    },
  }));

/** Changes the output of a successful effect. */
export const withOutput = <Output>(effect: string, change: (output: Output) => unknown): Mutation =>
  withEffects((effects) => ({
    ...effects,
    [effect]: async (input: never, signal) => change((await effects[effect]?.(input, signal)) as Output),
  }));

// --- machine
// ------------------------------------------------------------------------------------------------------------

interface Config {
  readonly output: (args: never) => ReconcileOutput;
  readonly states: { readonly [state: string]: { readonly invoke?: object; readonly after?: object } };
}

const withConfig =
  (change: (config: Config) => Config): Mutation =>
  (definition) => {
    const { machine } = definition;
    // The configuration of a machine is data. `Config` declares the parts that these mutations use.
    const config = change(machine.config as unknown as Config);
    return {
      ...definition,
      machine: new StateMachine(
        config as never,
        machine.implementations as never,
      ) as unknown as AnyStateMachine,
    };
  };

const withOutcome = (change: (output: ReconcileOutput) => ReconcileOutput): Mutation =>
  withConfig((config) => ({ ...config, output: (args) => change(config.output(args)) }));

/** Drops a reconcile's request to be requeued. */
export const withRequeueDropped: Mutation = withOutcome((output) =>
  output.outcome === 'requeue' ? settled() : output,
);

/** Drops the key of a failed reconcile, so that there is no retry. */
export const withFailureForgotten: Mutation = withOutcome((output) =>
  output.outcome === 'failed' ? settled() : output,
);

/** Delays requested requeues by `ms` milliseconds. */
export const withRequeueLater = (ms: number): Mutation =>
  withOutcome((output) =>
    output.outcome === 'requeue' ? { ...output, afterMs: output.afterMs + ms } : output,
  );

/** Swaps the effects of two states. */
export const withWritesSwapped = (first: string, second: string): Mutation =>
  withConfig((config) => {
    const [one, other] = [config.states[first], config.states[second]];
    if (!one?.invoke || !other?.invoke) throw new Error(`no effects in ${first} and ${second} to swap`);
    const effectOf = ({ id, src, input }: Record<string, unknown>) => ({ id, src, input });
    const swapped = {
      [first]: { ...one, invoke: { ...one.invoke, ...effectOf(other.invoke as Record<string, unknown>) } },
      [second]: { ...other, invoke: { ...other.invoke, ...effectOf(one.invoke as Record<string, unknown>) } },
    };
    return { ...config, states: { ...config.states, ...swapped } };
  });

// --- watches
// ------------------------------------------------------------------------------------------------------------

/** Ignores added, changed or deleted objects of a kind, so that they enqueue no keys. */
export const withWakeUpLost =
  (plural: string, which: 'added' | 'changed' | 'deleted'): Mutation =>
  (definition) => ({
    ...definition,
    watches: async (context) =>
      (await definition.watches(context)).map((watch): Watch => {
        if (watch.kind.plural !== plural) return watch;
        const store = () => context.informers.of(watch.kind, watch.scope).store;
        return {
          ...watch,
          when: (object, previous) => {
            const { namespace, name = '' } = object.metadata ?? {};
            const held = store().get(namespace ? `${namespace}/${name}` : name);
            const isGone = held?.metadata?.uid !== object.metadata?.uid;
            const what = isGone ? 'deleted' : previous ? 'changed' : 'added';
            return what !== which && (watch.when?.(object, previous) ?? true);
          },
        };
      }),
  });
