import type { ControllerDefinition } from '../../runtime/index.ts';

/**
 * Returns the controllers with the defect that the environment variable MUTANT names, such as
 * `cronjob/no-version`. `npm run test:mutants` sets the variable to find out whether the tests of a
 * controller catch a mutant. Without the variable, no mutant is loaded.
 */
export async function mutated(
  definitions: readonly ControllerDefinition[],
): Promise<readonly ControllerDefinition[]> {
  const name = process.env['MUTANT'] ?? '';
  if (name === '') return definitions;
  const { mutantNamed } = await import('../../chaos/mutants/index.ts');
  return definitions.map((each) =>
    name.startsWith(`${each.name}/`) ? (mutantNamed(each, name)?.mutate(each) ?? unknown(name)) : each,
  );
}

function unknown(name: string): never {
  throw new Error(`no mutant ${JSON.stringify(name)}: expected one that \`orch chaos mutants\` lists`);
}
