import { useState } from 'preact/hooks';
import { logIn, token } from '../access.ts';
import { useStore } from '../store.ts';

/** Form for a bearer token, which is stored only in the session storage of this tab. */
export function SignIn() {
  const bearer = useStore(token);
  const [asking, ask] = useState(false);
  const [text, setText] = useState('');
  if (bearer !== '')
    return (
      <button type="button" onClick={() => logIn('')}>
        sign out
      </button>
    );
  if (!asking)
    return (
      <button type="button" onClick={() => ask(true)}>
        sign in
      </button>
    );
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        logIn(text.trim());
        setText('');
        ask(false);
      }}
    >
      <input
        type="password"
        autocomplete="off"
        aria-label="bearer token"
        placeholder="bearer token"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit" class="primary">
        sign in
      </button>
    </form>
  );
}
