// A form or button with data-confirm asks first; a form that was confirmed goes on as if nothing had been.
{
  const dialog = document.getElementById("confirm");
  const yes = dialog.querySelector("[value=yes]");
  const usual = yes.textContent;

  addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    const asker = submitter?.dataset.confirm ? submitter : form;
    if (!asker.dataset.confirm || asker.dataset.confirmed) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    dialog.querySelector("p").textContent = asker.dataset.confirm;
    yes.textContent = asker.dataset.confirmButton || usual;
    yes.classList.toggle("danger", "confirmDanger" in asker.dataset);
    dialog.returnValue = "";
    dialog.onclose = () => {
      if (dialog.returnValue !== "yes") return;
      asker.dataset.confirmed = "1";
      form.requestSubmit(submitter);
      delete asker.dataset.confirmed;
    };
    dialog.showModal();
  }, true);
}
