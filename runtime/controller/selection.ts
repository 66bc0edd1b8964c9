import { CodedError } from '../../base/errors/index.ts';
import type { ControllerDefinition } from './controller.ts';

/**
 * Returns the controllers selected by `--controllers`. `*` selects all that are not off by default, `foo`
 * selects one controller, `-foo` excludes it. The first matching item wins, as in kube-controller-manager.
 * Throws `ERR_CONTROLLER_UNKNOWN` for an unknown name.
 * @param selection default `['*']`
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
      `unknown controllers: ${unknown.map((item) => JSON.stringify(item)).join(', ')}; expected '*' or one of ${[...names].sort().join(', ')}, each also with the prefix '-'`,
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
