import { Session } from 'node:inspector';
import type { ControllerModel } from './controller-model.ts';

/** Maximum number of places that a message names. */
const MOST_PLACES = 4;

/**
 * Names state that may be hidden memory. One kind is a variable of a closure that differs between a used and a
 * new instance. The other is a Map or Set outside both instances that `execute` accesses while it runs on the
 * used instance.
 *
 * Runs only after a mismatch, because inspecting every function of a controller is slow.
 */
export async function hiddenPlaces(
  used: ControllerModel,
  fresh: ControllerModel,
  execute: () => Promise<unknown>,
): Promise<readonly string[]> {
  const [before, after] = [variablesOf(fresh), variablesOf(used)];
  const changed = [...after].flatMap(([name, text]) => (before.get(name) === text ? [] : [name]));
  const accessed = await containersAccessed(execute);
  return [...new Set([...changed, ...accessed])].slice(0, MOST_PLACES);
}

// --- variables of closures

/** Maximum number of functions that are inspected, and how far they are from an effect. */
const MOST_FUNCTIONS = 100;
const DEEPEST = 3;
/**
 * Scopes of functions. Variables of modules are the same in every instance, so a comparison cannot find them.
 */
const FUNCTION_SCOPE = /^(?:Closure|Block)/;

/** Returns the contents of the variables that the effects of a controller capture, by name and scope. */
function variablesOf({ effects, memory, infrastructure }: ControllerModel): ReadonlyMap<string, string> {
  const inspector = openInspector();
  const texts = new Map<string, string>();
  // Visible memory differs between instances and is restored before each execution.
  memory.restore([]);
  const seen = new Set<unknown>(infrastructure);
  const pending: (readonly [work: unknown, depth: number])[] = Object.values(effects).map((each) => [
    each,
    0,
  ]);
  try {
    let functions = 0;
    for (let next = pending.shift(); next && functions < MOST_FUNCTIONS; next = pending.shift()) {
      const [work, depth] = next;
      if (seen.has(work)) continue;
      seen.add(work);
      functions++;
      for (const { name, value } of inspector.variablesOf(work)) {
        if (seen.has(value)) continue;
        if (typeof value !== 'function') texts.set(name, textOf(value, inspector, seen));
        if (depth < DEEPEST)
          for (const each of functionsIn(value)) if (!seen.has(each)) pending.push([each, depth + 1]);
      }
    }
  } finally {
    inspector.close();
  }
  return texts;
}

/** True for an imported module as a whole. It has many functions, and is the same for every instance. */
const isNamespace = (value: object): boolean => Object.prototype.toString.call(value) === '[object Module]';

const functionsIn = (value: unknown): readonly unknown[] => {
  if (typeof value === 'function') return [value];
  if (typeof value !== 'object' || value === null || isNamespace(value)) return [];
  const prototype: unknown = Object.getPrototypeOf(value);
  const methods =
    prototype === Object.prototype || prototype === null || Array.isArray(value)
      ? []
      : Object.values(Object.getOwnPropertyDescriptors(prototype)).map((each): unknown => each.value);
  return [...Object.values(value), ...methods].filter((each) => typeof each === 'function');
};

/** Maximum depth of the text of one variable, and maximum number of values in it. */
const MOST_NESTED = 3;
const MOST_VALUES = 200;

function textOf(value: unknown, inspector: Inspector, skipped: ReadonlySet<unknown>): string {
  let values = 0;
  const write = (each: unknown, depth: number): unknown => {
    if (typeof each === 'function') return 'function';
    if (typeof each === 'bigint') return String(each);
    if (typeof each !== 'object' || each === null) return each ?? null;
    if (depth > MOST_NESTED || values++ > MOST_VALUES || skipped.has(each)) return 'object';
    if (each instanceof Map || each instanceof Set) return [...each].map((item) => write(item, depth + 1));
    if (each instanceof WeakMap || each instanceof WeakSet) return inspector.entries(each);
    if (Array.isArray(each)) return each.map((item) => write(item, depth + 1));
    const isPlain = Object.getPrototypeOf(each) === Object.prototype;
    const fields = [...Object.entries(each), ...(isPlain ? [] : inspector.privateFields(each))];
    return fields.map(([name, item]) => [name, write(item, depth + 1)]);
  };
  return JSON.stringify(write(value, 0));
}

// --- the inspector

interface Variable {
  readonly name: string;
  readonly value: unknown;
}

interface Inspector {
  variablesOf(work: unknown): readonly Variable[];
  privateFields(object: object): readonly (readonly [name: string, value: unknown])[];
  /** Returns the number of entries of a WeakMap or WeakSet. */
  entries(container: object): number;
  close(): void;
}

/** Global name under which values are exchanged with the inspector. */
const EXCHANGE = '__explorerExchange';

interface Property {
  readonly name: string;
  readonly value?: { readonly objectId?: string; readonly description?: string; readonly value?: unknown };
}

function openInspector(): Inspector {
  const session = new Session();
  session.connect();
  const post = (method: string, params: object): Record<string, unknown> => {
    let answer: Record<string, unknown> = {};
    // Commands to the same thread are answered before `post` returns.
    session.post(method, params, (_, result) => (answer = (result ?? {}) as Record<string, unknown>));
    return answer;
  };
  const exchange = globalThis as unknown as Record<string, unknown>;
  const idOf = (value: unknown): string | undefined => {
    exchange[EXCHANGE] = value;
    const { result } = post('Runtime.evaluate', { expression: EXCHANGE }) as {
      readonly result?: Property['value'];
    };
    return result?.objectId;
  };
  const propertiesOf = (objectId: string | undefined) =>
    (objectId === undefined
      ? {}
      : post('Runtime.getProperties', { objectId, ownProperties: true })) as Readonly<
      Record<'result' | 'internalProperties' | 'privateProperties', readonly Property[] | undefined>
    >;
  const valueOf = ({ value }: Property): unknown => {
    if (value?.objectId === undefined) return value?.value;
    const functionDeclaration = `function () { globalThis.${EXCHANGE} = this; }`;
    post('Runtime.callFunctionOn', { objectId: value.objectId, functionDeclaration });
    return exchange[EXCHANGE];
  };
  const internal = (value: unknown, name: string) =>
    propertiesOf(idOf(value)).internalProperties?.find((each) => each.name === name)?.value?.objectId;
  return {
    variablesOf: (work) =>
      (propertiesOf(internal(work, '[[Scopes]]')).result ?? []).flatMap(({ value }) => {
        const scope = value?.description ?? '';
        if (value?.objectId === undefined || !FUNCTION_SCOPE.test(scope)) return [];
        return (propertiesOf(value.objectId).result ?? []).map((each) => ({
          name: `${JSON.stringify(each.name)} in ${scope}`,
          value: valueOf(each),
        }));
      }),
    privateFields: (object) =>
      (propertiesOf(idOf(object)).privateProperties ?? []).map((each) => [each.name, valueOf(each)]),
    entries: (container) => propertiesOf(internal(container, '[[Entries]]')).result?.length ?? 0,
    close() {
      delete exchange[EXCHANGE];
      session.disconnect();
    },
  };
}

// --- Maps and Sets of modules

type Method = (this: object, ...args: unknown[]) => unknown;

const METHODS = ['get', 'has', 'set', 'add', 'delete'] as const;

/** Constructors of the containers that may be memory, by their global names. */
const CONTAINERS = ['Map', 'Set', 'WeakMap', 'WeakSet'] as const;

/**
 * Returns the source positions at which `work` accesses a Map, Set, WeakMap or WeakSet that existed before. A
 * container that `work` creates cannot be memory.
 */
async function containersAccessed(work: () => Promise<unknown>): Promise<readonly string[]> {
  const created = new WeakSet<object>();
  const places = new Set<string>();
  // Bound before the prototypes are replaced.
  const isCreated = created.has.bind(created);
  const addPlace = places.add.bind(places);
  const undo = CONTAINERS.map((name) =>
    observed(name, created.add.bind(created), (container) => {
      const place = placeOfCaller();
      if (place !== undefined && !isCreated(container)) addPlace(place);
    }),
  );
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 8;
  try {
    await work().catch(() => {});
  } finally {
    Error.stackTraceLimit = limit;
    for (const each of undo) each();
  }
  return [...places];
}

/** Observes all containers of one kind. Returns a function that ends the observation. */
function observed(
  name: (typeof CONTAINERS)[number],
  onCreate: (container: object) => void,
  onAccess: (container: object) => void,
): () => void {
  const globals = globalThis as unknown as Record<string, new (...args: unknown[]) => object>;
  const Plain = globals[name];
  if (!Plain) throw new Error(`no global ${name}`);
  const prototype = Plain.prototype as Record<string, Method | undefined>;
  const properties = Object.getOwnPropertyDescriptors(prototype);
  for (const each of METHODS) {
    const method = prototype[each];
    if (!method) continue;
    prototype[each] = function (...args) {
      onAccess(this);
      return method.apply(this, args);
    };
  }
  globals[name] = class extends Plain {
    constructor(...args: unknown[]) {
      super(...args);
      onCreate(this);
    }
  };
  return () => {
    globals[name] = Plain;
    Object.defineProperties(prototype, properties);
  };
}

/** Returns the position of the code that called the container's method; undefined for the explorer's own code. */
function placeOfCaller(): string | undefined {
  const [, , , , line = ''] = new Error().stack?.split('\n') ?? [];
  const place = /\(?((?:file:\/\/)?\/[^()]+:\d+):\d+\)?$/.exec(line)?.[1];
  return place === undefined || OWN.test(place) ? undefined : place.replace(/^file:\/\//, '');
}

/** Files of Node.js, of libraries, of the explorer, and of the invariants that it evaluates. */
const OWN = /node:|\/node_modules\/|\/chaos\/(?:explore|invariants|oracles|world)\/(?!.*fixture)/;
