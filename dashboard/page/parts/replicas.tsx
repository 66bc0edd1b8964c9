import type { ReplicaDocument, Share } from '../../model/replicas.ts';
import type { LeaderFacts } from '../../model/view.ts';
import { Ago, Pill, many } from './bits.tsx';
import { toController } from '../routes.ts';

/** Shortens `host_1b2c3d4e-…` to `host_1b2c3d4e`, which is enough to distinguish processes. */
const short = (identity: string): string => identity.replace(/(_[0-9a-f]{8})-[0-9a-f-]{27}$/, '$1');

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Shortened identity of a process. The tooltip has the full identity. */
export function Identity(props: { identity: string; own: boolean; address?: string | undefined }) {
  const { identity, own, address } = props;
  return (
    <span class="identity" title={identity}>
      {address === undefined || own ? (
        <span class="key-name">{short(identity)}</span>
      ) : (
        <a class="key-name" href={address} rel="noreferrer">
          {short(identity)}
        </a>
      )}{' '}
      {own && <Pill>this one</Pill>}
    </span>
  );
}

/**
 * Says which processes lead if this one leads no controller, because its own figures are zero then. A leader
 * that advertises no address is named without a link.
 */
export function Standby({ replicas, shared }: { replicas: readonly ReplicaDocument[]; shared: boolean }) {
  const leaders = replicas.filter(({ leads, own }) => leads.length > 0 && !own);
  const leadsItself = replicas.some(({ leads, own }) => own && leads.length > 0);
  if (shared || leadsItself || leaders.length === 0) return null;
  return (
    <section class="card" aria-labelledby="standby">
      <h2 id="standby">This process is a standby</h2>
      {leaders.map(({ identity, address, leads }) => (
        <p key={identity}>
          <Identity identity={identity} own={false} address={address} /> leads{' '}
          {leads.length === 1 ? leads[0] : `${leads.length} controllers`}.{' '}
          {address === undefined
            ? 'It advertises no dashboard.'
            : 'Its dashboard shows their keys and reconciles.'}
        </p>
      ))}
    </section>
  );
}

function ShareBar({ share }: { share: number }) {
  return (
    <span class="share-cell">
      <span class="meter" aria-hidden="true">
        <span style={{ width: percent(share).replace(' ', '') }} />
      </span>
      <span class="number">{percent(share)}</span>
    </span>
  );
}

/** Table of the processes that run controllers, with their share of all reconciles. */
export function Replicas(props: { replicas: readonly ReplicaDocument[]; shared: boolean; atMs: number }) {
  const { replicas, shared, atMs } = props;
  return (
    <section class="card" aria-labelledby="replicas">
      <h2 id="replicas">Replicas</h2>
      <p class="soft">
        {shared
          ? 'These processes share their keys over Redis.'
          : 'Each process has its own queue. Other processes are known by the Leases they hold.'}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-labelledby="replicas">
        <table>
          <thead>
            <tr>
              <th scope="col">replica</th>
              <th scope="col">running for</th>
              <th scope="col">last seen</th>
              <th scope="col" class="right">
                reconciles, last minute
              </th>
              <th scope="col">share</th>
              <th scope="col">leads</th>
            </tr>
          </thead>
          <tbody>
            {replicas.map(({ identity, own, startedMs, silentMs, reconciles, share, leads, address }) => (
              <tr key={identity}>
                <th scope="row">
                  <Identity identity={identity} own={own} address={address} />
                </th>
                <td>{startedMs === undefined ? '–' : <Ago ms={atMs - startedMs} />}</td>
                <td>{silentMs === undefined ? '–' : own ? 'now' : <Ago ms={silentMs} />}</td>
                <td class="right number">{reconciles === undefined ? '–' : many(reconciles)}</td>
                <td>{share === undefined ? '–' : <ShareBar share={share} />}</td>
                <td class="leads">
                  {leads.length === 0 && '–'}
                  {leads.map((name) => (
                    <a key={name} href={toController(name)}>
                      {name}
                    </a>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/**
 * Processes that run one controller: the holder of its Lease, or without a Lease all replicas with their
 * shares.
 */
export function Workers(props: {
  leader: LeaderFacts | undefined;
  shares: readonly Share[] | undefined;
  atMs: number;
}) {
  const { leader, shares, atMs } = props;
  if (leader === undefined && shares === undefined) return null;
  return (
    <section class="card" aria-labelledby="workers">
      <h2 id="workers">{leader === undefined ? 'Replicas' : 'Leader'}</h2>
      {leader !== undefined && (
        <dl class="terms">
          <dt>holder</dt>
          <dd>
            <Identity identity={leader.holder} own={leader.own} address={leader.address} />
          </dd>
          {leader.sinceMs !== undefined && (
            <>
              <dt>for</dt>
              <dd>
                <Ago ms={atMs - leader.sinceMs} />
              </dd>
            </>
          )}
          <dt>changes of the holder</dt>
          <dd class="number">{many(leader.transitions)}</dd>
        </dl>
      )}
      {shares !== undefined && (
        <ul class="plain shares" aria-label="shares of the reconciles of the last minute">
          {shares.map(({ identity, own, reconciles, share }) => (
            <li key={identity}>
              <Identity identity={identity} own={own} />
              <span class="number soft">{many(reconciles)}</span>
              <ShareBar share={share} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
