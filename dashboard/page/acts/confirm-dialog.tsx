import type { ComponentChildren } from 'preact';
import type { Act } from '../../model/acts/act.ts';
import { useGuardedDialog } from '../parts/guarded-dialog.ts';

/** Dialog with the warning of an act. `children` describe what the user decides about. */
export function ConfirmDialog(props: {
  act: Act;
  name: string;
  children?: ComponentChildren;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const { act, name, children, onClose, onConfirm } = props;
  const { dialog, isReady } = useGuardedDialog();
  const confirm = (): void => {
    onConfirm();
    onClose();
  };
  return (
    <dialog ref={dialog} class="card" aria-labelledby="confirm-title" onClose={onClose}>
      <h2 id="confirm-title">
        {act.label}: {name}
      </h2>
      {children}
      <p class="warning">{act.warning}</p>
      <div class="actions">
        <button type="button" autoFocus onClick={onClose}>
          cancel
        </button>
        <button
          type="button"
          class={act.isDangerous === true ? 'danger' : 'primary'}
          disabled={!isReady}
          onClick={confirm}
        >
          {act.label}
        </button>
      </div>
    </dialog>
  );
}
