import { CodedError } from '../../base/errors/coded.ts';
import type { ControllerDefinition } from './controller.ts';

/**
 * The controllers that `--controllers` asks for. `*` names all that are not off by default, `foo` names one, `-foo`
 * takes one away; what stands first for a name wins, as in the real system. Default `['*']`. Throws for an unknown name.
 */
export function selectControllers(
  known: readonly ControllerDefinition[],
  selection: readonly string[] = ['*'],
): readonly ControllerDefinition[] {
  const names = new Set(known.map(({ name }) => name));
  const unknown = selection.filter((item) => item !== '*' && !names.has(item.replace(/^-/, '')));
  if (unknown.length > 0)
    throw new CodedError(
      'ERR_CONTROLLER_UNKNOWN',
      `unknown controllers: ${unknown.map((item) => JSON.stringify(item)).join(', ')}; known are '*', ${[...names].sort().join(', ')}, each also with '-' before it`,
    );
  return known.filter((definition) => isSelected(definition, selection));
}

function isSelected(
  { name, offByDefault = false }: ControllerDefinition,
  selection: readonly string[],
): boolean {
  for (const item of selection) {
    if (item === name) return true;
    if (item === `-${name}`) return false;
  }
  return selection.includes('*') && !offByDefault;
}
