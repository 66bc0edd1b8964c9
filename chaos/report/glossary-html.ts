import { type Markup, markup } from './markup.ts';

const WORDS: readonly (readonly [word: string, meaning: string])[] = [
  [
    'Seed',
    'Number from which a run is generated: actions, delays and faults. The same seed repeats the same run.',
  ],
  ['Run', 'Simulated cluster with an API server, users and controllers, in virtual time.'],
  [
    'Step',
    'One event of a run, such as the arrival of a message. Steps are numbered from the start of the run.',
  ],
  ['Commit', 'Change of an object that the API server stored. Each has a revision.'],
  ['Invariant', 'Property that must hold in each run.'],
  [
    'Checked, reached, broken',
    'How often an invariant was evaluated, in how many evaluations its premise occurred, and how often it did not hold.',
  ],
  ['PASS', 'No invariant was broken, and the premise of each occurred.'],
  ['FAIL', 'An invariant was broken.'],
  ['VACUOUS', 'No invariant was broken, but the premise of some never occurred, so these were not tested.'],
  ['UNKNOWN', 'A run did not finish within its limit of steps.'],
  ['Fault', 'Injected failure, such as a lost response, a crash or a clock that is set forward.'],
  ['Minimal trace', 'A failed run without the actions, faults and delays that the failure does not need.'],
  ['Reflector', 'Part of a process that watches objects of the API server and keeps them in a cache.'],
  [
    'Reconcile',
    'One attempt of a controller to bring an object to its desired state. Arrows separate its states.',
  ],
  [
    'Believed',
    'Content of the cache of a process at the moment of the violation, if it differs from the store.',
  ],
  ['Hash of all runs', 'Equal for two campaigns with the same steps in all runs.'],
];

/** Renders the words of a report with their meaning. */
export const renderGlossary = (): Markup =>
  markup`<h2>Words</h2>
    <details>
      <summary>What the words in this report mean</summary>
      <dl>
        ${WORDS.map(
          ([word, meaning]) =>
            markup`<dt>${word}</dt>
              <dd>${meaning}</dd> `,
        )}
      </dl>
    </details> `;
