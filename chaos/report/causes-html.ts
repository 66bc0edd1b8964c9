import { causesOf } from './campaign-text.ts';
import { type Markup, markup } from './markup.ts';
import type { ChaosReport } from './report.ts';

/** Largest number of seeds of one cause that the page lists. The JSON report has all. */
const MOST_SEEDS = 200;

/** Renders the causes why seeds did not pass, the most frequent first, each with one command that repeats it. */
export function renderCauses(report: ChaosReport): Markup | false {
  const causes = causesOf(report);
  if (causes.length === 0) return false;
  const commands = new Map(report.commands);
  return markup`<h2>${causes.length === 1 ? 'One cause' : `${causes.length} causes`}</h2>
    ${causes.map(
      ({ title, shortest, seeds }) =>
        markup`<section class="cause">
          <h3>${title} <span class="soft">(${seeds.length} ${seeds.length === 1 ? 'seed' : 'seeds'})</span></h3>
          <p>Shortest: seed ${shortest.seed} ${shortest.text}</p>
          <p class="soft">To repeat it:</p>
          <pre tabindex="0"><code>${commands.get(shortest.seed) ?? `${report.command} --seed ${shortest.seed}`}</code></pre>
          ${seeds.length > 1 && renderSeeds(seeds)}
        </section> `,
    )}`;
}

const renderSeeds = (seeds: readonly number[]): Markup =>
  markup`<details>
    <summary>All ${seeds.length} seeds</summary>
    <p>
      ${seeds.slice(0, MOST_SEEDS).join(', ')}${seeds.length > MOST_SEEDS && `, and ${seeds.length - MOST_SEEDS} more, which the JSON report lists`}
    </p>
  </details> `;
