import type { Overview } from '../../model/documents.ts';
import { useDocument } from '../journal.ts';
import { Loading, Problem } from '../parts/bits.tsx';
import { KeyList } from '../parts/key-list.tsx';
import { toController } from '../routes.ts';

/** Keys whose last reconcile failed, by controller. */
export function FailingView() {
  const { document: overview, problem } = useDocument<Overview>('controllers');
  if (overview === undefined) return problem === undefined ? <Loading /> : <Problem problem={problem} />;
  const failing = overview.controllers.filter((each) => each.failing > 0);
  return (
    <>
      <h1>Keys failing</h1>
      {failing.length === 0 && <p class="soft">The last reconcile of every key succeeded.</p>}
      {failing.map(({ name }) => (
        <section key={name} class="card" aria-labelledby={`failing-${name}`}>
          <h2 id={`failing-${name}`}>
            <a href={toController(name)}>{name}</a>
          </h2>
          <KeyList controller={name} outcome="failed" />
        </section>
      ))}
    </>
  );
}
