import type { AnyStateMachine } from 'xstate';
import { CodedError } from '../../base/errors/index.ts';
import type { Effects } from '../actors/effects.ts';
import type { ControllerDefinition } from './controller.ts';

/** Codes of errors in a controller's definition. */
export type DefinitionErrorCode =
  'ERR_CONTROLLER_NAME' | 'ERR_CONTROLLER_MACHINE' | 'ERR_CONTROLLER_EFFECTS' | 'ERR_CONTROLLER_OPTION';

const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * Checks and freezes a controller definition. Throws a `CodedError<DefinitionErrorCode>` if it is
 * inconsistent.
 */
export function defineController(definition: ControllerDefinition): ControllerDefinition {
  const { name, machine } = definition;
  if (!NAME.test(name))
    throw new CodedError(
      'ERR_CONTROLLER_NAME',
      `controller name ${JSON.stringify(name)} is invalid: expected at most 63 lower case letters, digits and '-'`,
    );
  if (machine.id !== name)
    throw new CodedError(
      'ERR_CONTROLLER_MACHINE',
      `controller ${name} has a machine with the id ${JSON.stringify(machine.id)}: expected the controller's name`,
    );
  for (const option of ['concurrency', 'reconcileTimeoutMs'] as const) {
    const value = definition[option];
    if (value !== undefined && !(value > 0))
      throw new CodedError(
        'ERR_CONTROLLER_OPTION',
        `${option} of controller ${name} is ${value}, expected a number above 0`,
      );
  }
  return Object.freeze({ ...definition });
}

/** Returns the names of the actors in the machine's `setup`. */
export const actorNamesOf = (machine: AnyStateMachine): readonly string[] =>
  Object.keys(machine.implementations.actors);

/** Throws `ERR_CONTROLLER_EFFECTS` unless `effects` has exactly the actors in the machine's `setup`. */
export function checkEffects(name: string, machine: AnyStateMachine, effects: Effects): void {
  const named = actorNamesOf(machine);
  const missing = named.filter((actor) => typeof effects[actor] !== 'function');
  const unknown = Object.keys(effects).filter((effect) => !named.includes(effect));
  const parts = [
    ...(missing.length === 0 ? [] : [`has no effect for ${missing.join(', ')}`]),
    ...(unknown.length === 0 ? [] : [`has effects that its machine does not name: ${unknown.join(', ')}`]),
  ];
  if (parts.length > 0)
    throw new CodedError('ERR_CONTROLLER_EFFECTS', `controller ${name} ${parts.join(' and ')}`);
}
