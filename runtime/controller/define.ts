import type { AnyStateMachine } from 'xstate';
import { CodedError } from '../../base/errors/coded.ts';
import type { Effects } from '../actors/effects.ts';
import type { ControllerDefinition } from './controller.ts';

export type DefinitionErrorCode =
  'ERR_CONTROLLER_NAME' | 'ERR_CONTROLLER_MACHINE' | 'ERR_CONTROLLER_EFFECTS' | 'ERR_CONTROLLER_OPTION';

const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Declares a controller. Throws a `CodedError<DefinitionErrorCode>` where the declaration contradicts itself. */
export function defineController(definition: ControllerDefinition): ControllerDefinition {
  const { name, machine } = definition;
  if (!NAME.test(name))
    throw new CodedError(
      'ERR_CONTROLLER_NAME',
      `controller name ${JSON.stringify(name)} is none: lower case letters, digits and '-', at most 63`,
    );
  if (machine.id !== name)
    throw new CodedError(
      'ERR_CONTROLLER_MACHINE',
      `controller ${name} has a machine with the id ${JSON.stringify(machine.id)}: both must be the same`,
    );
  for (const option of ['concurrency', 'passTimeoutMs'] as const) {
    const value = definition[option];
    if (value !== undefined && !(value > 0))
      throw new CodedError(
        'ERR_CONTROLLER_OPTION',
        `${option} of controller ${name} is ${value}, not above 0`,
      );
  }
  return Object.freeze({ ...definition });
}

/** Names of the actors a machine's `setup` declares. */
export const actorNamesOf = (machine: AnyStateMachine): readonly string[] =>
  Object.keys(machine.implementations.actors);

/** Throws unless `effects` has exactly the actors the machine names. */
export function checkEffects(name: string, machine: AnyStateMachine, effects: Effects): void {
  const named = actorNamesOf(machine);
  const missing = named.filter((actor) => typeof effects[actor] !== 'function');
  const unknown = Object.keys(effects).filter((effect) => !named.includes(effect));
  const parts = [
    ...(missing.length === 0 ? [] : [`has no effect for ${missing.join(', ')}`]),
    ...(unknown.length === 0 ? [] : [`has effects its machine does not name: ${unknown.join(', ')}`]),
  ];
  if (parts.length > 0)
    throw new CodedError('ERR_CONTROLLER_EFFECTS', `controller ${name} ${parts.join(' and ')}`);
}
