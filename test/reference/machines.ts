import { describeMachine } from '../../dashboard/index.ts';
import { knownMachines } from '../../cli/dashboard/known-machines.ts';
import { page } from './markdown.ts';

export const machinesPage = (): string =>
  page(
    'Machines',
    'The state machine of each controller, and that of an informer (`reflector`). `orch machines NAME --format mermaid` prints one; `svg`, `scxml` and `json` are the other formats. `npm run machines` draws the pictures again.',
    ...knownMachines().flatMap((machine) => {
      const { id } = describeMachine(machine);
      return [`## ${id}`, `![States and transitions of ${id}](../machines/${id}.svg)`];
    }),
  );
