// <form data-changed-shows="id">: what was said about the form is old once somebody changes it.
document.addEventListener("input", ({ target }) => {
  const note = document.getElementById(target.form?.dataset.changedShows ?? "");
  if (note) note.hidden = false;
});
