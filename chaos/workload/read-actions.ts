import { CodedError } from '../../base/errors/index.ts';
import type { Action } from '../world/user.ts';

type Field = keyof Action;

const COMMON: readonly Field[] = ['atMs', 'verb', 'resource', 'namespace', 'name'];

/** Permitted fields of an action, by verb. */
const FIELDS: Readonly<Record<Action['verb'], readonly Field[]>> = {
  create: [...COMMON, 'object', 'owners'],
  patch: [...COMMON, 'subresource', 'patch', 'owners', 'withoutFinalizer'],
  delete: [...COMMON, 'propagation'],
};

/** Fields of which a patch needs at least one. */
const CONTENTS = ['patch', 'owners', 'withoutFinalizer'] as const;

const VERBS = Object.keys(FIELDS) as readonly Action['verb'][];

/**
 * Validates the actions of a file or module. Throws `ERR_WORKLOAD` with the index of an invalid action: one
 * with an unknown verb or field, or a patch without content.
 */
export function readActions(given: unknown): readonly Action[] {
  if (!Array.isArray(given)) throw refusal(`expected an array of actions, received ${typeName(given)}`);
  return given.map(readAction);
}

function readAction(given: unknown, index: number): Action {
  const at = `action ${index}`;
  if (typeName(given) !== 'object') throw refusal(`${at}: expected an object, received ${typeName(given)}`);
  const action = given as Partial<Action>;
  const { atMs, verb, resource, name } = action;
  if (typeof atMs !== 'number' || typeof resource !== 'string' || typeof name !== 'string')
    throw refusal(`${at} needs atMs, verb, resource and name, received ${JSON.stringify(given)}`);
  if (verb === undefined || !VERBS.includes(verb))
    throw refusal(`${at} has the verb ${JSON.stringify(verb)}: expected ${VERBS.join(', ')}`);
  const stray = Object.entries(action).find(
    ([field, value]) => value !== undefined && !FIELDS[verb].includes(field as Field),
  );
  if (stray)
    throw refusal(
      `${at}, a ${verb}, has the field ${JSON.stringify(stray[0])}: expected ${FIELDS[verb].join(', ')}`,
    );
  if (verb === 'patch' && CONTENTS.every((field) => action[field] === undefined))
    throw refusal(`${at}, a patch, is empty: expected ${CONTENTS.join(' or ')}`);
  return given as Action;
}

const typeName = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

const refusal = (message: string): CodedError => new CodedError('ERR_WORKLOAD', message);
