import { type ScalarSchema, type Schema, resolve } from '../../api/schema/schema.ts';

/** Way of filling the items of a list or map. */
export type Filling = 'empty' | 'equal' | 'distinct' | 'whole' | 'invalid';
export const FILLINGS: readonly Filling[] = ['empty', 'equal', 'distinct', 'whole', 'invalid'];

/**
 * Valid values of fields that validators examine, by field name. The parameter `at` makes values distinct.
 */
const BY_NAME: { readonly [name: string]: (at: number) => unknown } = {
  mountPath: (at) => `/p${at}`,
  devicePath: (at) => `/p${at}`,
  path: (at) => `/p${at}`,
  operator: () => 'Exists',
  topologyKey: (at) => `k${at}`,
  whenUnsatisfiable: () => 'DoNotSchedule',
  maxSkew: () => 1,
  pathType: () => 'Prefix',
  host: (at) => `h${at}.example.com`,
  ip: (at) => `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`,
  cidr: (at) => `10.${(at >> 8) & 255}.${at & 255}.0/24`,
  port: (at) => 1 + (at % 65_535),
  containerPort: (at) => 1 + (at % 65_535),
  nodePort: () => 0,
  hostPort: () => 0,
  targetPort: (at) => 1 + (at % 65_535),
  protocol: () => 'TCP',
  apiVersion: () => 'v1',
  apiGroup: () => 'rbac.authorization.k8s.io',
  kind: () => 'User',
  effect: () => 'NoSchedule',
  verbs: () => ['get'],
  apiGroups: (at) => [`g${at}`],
  resources: (at) => [`r${at}`],
  imagePullPolicy: () => 'Always',
  terminationMessagePolicy: () => 'File',
  image: () => 'i',
  claimName: (at) => `c${at}`,
  type: (at) => `t${at}`,
};

const stringOf = (name: string, filling: Filling, at: number): unknown =>
  filling === 'invalid' ? `!${at}` : (BY_NAME[name]?.(at) ?? `n${at}`);

function scalar(
  { format, enum: words = [] }: ScalarSchema,
  name: string,
  filling: Filling,
  at: number,
): unknown {
  const bad = filling === 'invalid';
  if (words.length > 0 && !bad) return words[0];
  switch (format) {
    case 'boolean':
      return bad;
    case 'int32':
    case 'int64':
    case 'double':
      return bad ? -1 : (BY_NAME[name]?.(at) ?? 1 + (at % 1_000));
    case 'bytes':
      return 'eA==';
    case 'time':
      return '2024-01-01T00:00:00Z';
    case 'micro-time':
      return '2024-01-01T00:00:00.000000Z';
    case 'duration':
      return '1s';
    case 'quantity':
      return bad ? '-1' : String(at);
    case 'int-or-string':
      return bad ? '!' : (BY_NAME[name]?.(at) ?? 1);
    default:
      return stringOf(name, filling, at);
  }
}

/** Number of fields in a small item: the first two string fields. */
const FEW = 2;

/**
 * Returns a value of a schema.
 * @param name name of the field
 * @param depth number of struct levels to fill
 */
export function valueOf(given: Schema, name: string, filling: Filling, at: number, depth = 1): unknown {
  const schema = resolve(given);
  const item = filling === 'equal' ? 0 : at;
  switch (schema.kind) {
    case 'scalar':
      return filling === 'empty'
        ? schema.format === 'string'
          ? ''
          : scalar(schema, name, 'equal', 0)
        : scalar(schema, name, filling, item);
    case 'array':
      return depth <= 0 ? [] : [valueOf(schema.items, name, filling, item, depth - 1)];
    case 'map':
      return depth <= 0 ? {} : { k: valueOf(schema.values, name, filling, item, depth - 1) };
    case 'any':
      return { a: item };
    case 'either':
      return {};
    default: {
      if (filling === 'empty') return {};
      const all = Object.entries(schema.fields);
      const texts = all.filter(([, field]) => isText(field.schema));
      const whole = filling === 'whole' || filling === 'invalid';
      const chosen = whole
        ? all.filter(([, field]) => depth > 0 || resolve(field.schema).kind === 'scalar')
        : texts.slice(0, FEW);
      return Object.fromEntries(
        chosen.map(([key, field]) => [key, valueOf(field.schema, key, filling, item, depth - 1)]),
      );
    }
  }
}

const isText = (given: Schema): boolean => {
  const schema = resolve(given);
  return schema.kind === 'scalar' && schema.format === 'string';
};
