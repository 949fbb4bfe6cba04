/* Runs before the rest of the page. Where a file of it did not arrive (the server was just starting anew, the network just
   changed) nothing else would ever run: the page is read again as soon as the server answers. */
{
  const PAUSE = 1500;
  const answers = () => fetch(location.href).then(({ ok }) => ok, () => false);
  let waiting = false;

  // errors of files do not bubble, but they can be caught on their way down
  addEventListener("error", async ({ target }) => {
    if (waiting || !(target instanceof HTMLScriptElement || target instanceof HTMLLinkElement)) return;
    waiting = true;
    do await new Promise((done) => setTimeout(done, PAUSE));
    while (!(await answers()));
    location.reload();
  }, true);
}
